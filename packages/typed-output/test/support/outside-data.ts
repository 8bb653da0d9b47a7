import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { JsonSchema, JsonValue } from "@basis/core";
import type { SchemaDraft } from "../../src/index.ts";

const repository = join(import.meta.dirname, "../../../..");
const data = process.env["BASIS_TEST_DATA"] ?? join(repository, "../shared/data");
const suite = join(data, "json-schema-test-suite");
const store = join(data, "schemastore");
const maskBench = join(data, "maskbench");

/** True where the official suite, and where the schemas of SchemaStore, can be read. */
export const found: { readonly suite: boolean; readonly store: boolean } = {
  suite: existsSync(suite),
  store: existsSync(store),
};

/** Says in one line what is not run. */
export function reportMissing(): void {
  if (!found.suite) console.warn(`not run: the JSON-Schema-Test-Suite is not at ${suite} (BASIS_TEST_DATA)`);
  if (!found.store) console.warn(`not run: the schemas of SchemaStore are not at ${store} (BASIS_TEST_DATA)`);
}

/** A schema of the official suite, with its tests. */
export interface SuiteGroup {
  readonly file: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly tests: readonly {
    readonly description: string;
    readonly data: JsonValue;
    readonly valid: boolean;
  }[];
}

/** The required tests of a draft. */
export function suiteGroups(draft: "draft-07" | "2020-12"): readonly SuiteGroup[] {
  const folder = join(suite, "tests", draft === "draft-07" ? "draft7" : "draft2020-12");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((file) => (readJson(join(folder, file)) as SuiteGroup[]).map((group) => ({ ...group, file })));
}

const remotes = new Map<SchemaDraft, Readonly<Record<string, JsonSchema>>>();

/** The documents that the suite's schemas refer to; read once. */
export function suiteRemotes(draft: SchemaDraft): Readonly<Record<string, JsonSchema>> {
  const known = remotes.get(draft) ?? readRemotes(draft);
  remotes.set(draft, known);
  return known;
}

function readRemotes(draft: SchemaDraft): Readonly<Record<string, JsonSchema>> {
  const root = join(suite, "remotes");
  const own = draft === "2020-12" ? "draft2020-12" : "draft7";
  const entries = files(root)
    .map((path) => [path.slice(root.length + 1), path] as const)
    .filter(([name]) => name.startsWith(`${own}/`) || !/^(draft|v1)/.test(name))
    .map(([name, path]) => [`http://localhost:1234/${name}`, readJson(path)]);
  return Object.fromEntries(entries) as Record<string, JsonSchema>;
}

/** A schema in use somewhere, with instances that its authors say are valid and invalid. */
export interface StoreSchema {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly characters: number;
  readonly valid: readonly JsonValue[];
  readonly invalid: readonly JsonValue[];
}

/** Schemas of SchemaStore that refer to documents which are not there. */
export const incompleteSchemas: readonly string[] = [
  "azure-deviceupdate-import-manifest-4.0",
  "azure-deviceupdate-update-manifest-4",
  "azure-deviceupdate-update-manifest-5",
  "azure-iot-edge-deployment-template-2.0",
  "cinnamon-spice.info",
  "clasp",
  "compilerconfig",
  "eslintrc",
  "minecraft-advancement",
  "schema-org-place",
];

/** The schemas of SchemaStore, those named incomplete among them. */
export function storeSchemas(): readonly StoreSchema[] {
  return readdirSync(join(store, "schemas")).map((file) => {
    const name = file.replace(/\.json$/, "");
    const text = readFileSync(join(store, "schemas", file), "utf8");
    const schema = JSON.parse(text) as JsonSchema;
    return {
      name,
      schema,
      characters: text.length,
      valid: instances("valid", name),
      invalid: instances("invalid", name),
    };
  });
}

function instances(folder: "valid" | "invalid", name: string): JsonValue[] {
  const mark = (file: string): boolean =>
    file.startsWith(`${name}.`) && /^\d+\.json$/.test(file.slice(name.length + 1));
  return readdirSync(join(store, folder))
    .filter(mark)
    .map((file) => readJson(join(store, folder, file)) as JsonValue);
}

/** A schema of MaskBench, with its labelled instances; one file each. */
export type MaskBenchSchema = Pick<SuiteGroup, "schema" | "tests">;

/** The schemas of a MaskBench sample; none where there is none, since that is optional. */
export function maskBenchSchemas(): readonly MaskBenchSchema[] {
  return (existsSync(maskBench) ? files(maskBench) : []).map((path) => readJson(path) as MaskBenchSchema);
}

function files(directory: string): string[] {
  return readdirSync(directory)
    .map((name) => join(directory, name))
    .flatMap((path) => (statSync(path).isDirectory() ? files(path) : [path]))
    .filter((path) => path.endsWith(".json"));
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}
