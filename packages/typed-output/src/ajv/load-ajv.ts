import type { JsonSchema, JsonValue } from "@basis/core";
import { outputError } from "../output-error.ts";
import type { SchemaDraft } from "../schema-validator.ts";

/** One of ajv's errors, as much of it as is read. */
export interface AjvError {
  readonly instancePath: string;
  readonly keyword: string;
}

/** A validate function of ajv. */
export interface AjvCheck {
  (value: JsonValue): boolean;
  errors?: readonly AjvError[] | null;
}

/** An instance of ajv, as much of it as is used. */
export interface AjvInstance {
  compile(schema: JsonSchema): AjvCheck;
  addSchema(schema: JsonSchema, key: string): unknown;
  getSchema(key: string): AjvCheck | undefined;
  /** What it knows, by key and by URI. */
  readonly schemas: Readonly<Record<string, { readonly schema: JsonSchema } | undefined>>;
  readonly refs: Readonly<Record<string, { readonly schema: JsonSchema } | string | undefined>>;
  removeKeyword(keyword: string): unknown;
  addKeyword(definition: Readonly<Record<string, unknown>>): unknown;
}

/** Makes instances of ajv. */
export type AjvConstructor = new (options: Readonly<Record<string, unknown>>) => AjvInstance;

/** Imports the modules of the optional peers; a port, so that their absence can be tried. */
export type ImportEngine = (draft: SchemaDraft) => Promise<unknown>;

const PEERS: Readonly<Record<SchemaDraft, { package: string; version: string }>> = {
  "draft-04": { package: "ajv-draft-04", version: "^1.0.0" },
  "draft-07": { package: "ajv", version: "^8.17.0" },
  "2019-09": { package: "ajv", version: "^8.17.0" },
  "2020-12": { package: "ajv", version: "^8.17.0" },
};

/** Imports the peers themselves. */
export const importPeer: ImportEngine = (draft) => {
  switch (draft) {
    case "draft-04":
      return import("ajv-draft-04");
    case "draft-07":
      return import("ajv");
    case "2019-09":
      return import("ajv/dist/2019.js");
    case "2020-12":
      return import("ajv/dist/2020.js");
    default:
      return draft satisfies never;
  }
};

/**
 * Loads the ajv that reads a draft.
 * @throws OutputError `peer_missing`, naming the package and the version.
 */
export async function loadAjv(draft: SchemaDraft, importEngine: ImportEngine): Promise<AjvConstructor> {
  let engine: AjvConstructor;
  try {
    engine = constructorOf(await importEngine(draft));
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code;
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw error;
    throw peerMissing(draft, "is not installed", error);
  }
  // Ajv 6 and older know no vocabularies.
  if (typeof engine?.prototype?.["addVocabulary"] === "function") return engine;
  throw peerMissing(draft, "is installed in another version");
}

function peerMissing(draft: SchemaDraft, how: string, cause?: unknown): Error {
  const peer = PEERS[draft];
  const what = `checking a ${draft} schema needs the package ${peer.package}@${peer.version}, which ${how}`;
  return outputError("peer_missing", what, { details: peer, cause });
}

/** CommonJS seen through an import: the class is the default, or the default's default. */
function constructorOf(module: unknown): AjvConstructor {
  const outer = (module as { default: unknown }).default;
  const inner = (outer as { default?: unknown }).default ?? outer;
  return inner as AjvConstructor;
}
