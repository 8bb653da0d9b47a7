import { isJsonObject, sha256, type JsonSchema, type JsonValue } from "@basis/core";
import { contentText } from "../content-text.ts";
import { OutputError, outputError } from "../output-error.ts";
import { readPattern, withinPatternBudget } from "../pattern.ts";
import type {
  CompiledSchema,
  CompileOptions,
  SchemaDraft,
  SchemaIssue,
  SchemaValidator,
} from "../schema-validator.ts";
import { toEngineSchema } from "./engine-schema.ts";
import { exactKeywords } from "./exact-keywords.ts";
import { hoistRepeated } from "./hoist.ts";
import {
  importPeer,
  loadAjv,
  type AjvCheck,
  type AjvConstructor,
  type AjvInstance,
  type ImportEngine,
} from "./load-ajv.ts";
import { interpret } from "../interpreter/interpreting-validator.ts";
import { META_SCHEMA, referencesOf } from "../schema-references.ts";
import { walkSchema } from "../schema-walk.ts";
import { ValidatorCache } from "../validator-cache.ts";

/** The bounds of the validators kept. */
export interface AjvValidatorOptions {
  /** Most validators kept. Default 256. */
  readonly maxEntries?: number;
  /** Most characters of schema text whose validators are kept. Default 8 Mi. */
  readonly maxCharacters?: number;
  /** Imports the optional peers; for tests and unusual loaders. */
  readonly importEngine?: ImportEngine;
}

const META_SCHEMAS: Readonly<Record<SchemaDraft, string>> = {
  "draft-04": "http://json-schema.org/draft-04/schema",
  "draft-07": "http://json-schema.org/draft-07/schema",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
};

let shared: SchemaValidator | undefined;

/**
 * A `SchemaValidator` by ajv: drafts 04 (by ajv-draft-04), 07, 2019-09 and 2020-12, own properties only,
 * formats as hints, patterns in bounded time. ajv is loaded by the first `compile`.
 * Equal schemas share one validator, found by the digest of their content; the least used are let go.
 * Without options, one instance serves the process.
 */
export function ajvValidator(options?: AjvValidatorOptions): SchemaValidator {
  if (options === undefined) return (shared ??= createValidator({}));
  return createValidator(options);
}

function createValidator(options: AjvValidatorOptions): SchemaValidator {
  const { maxEntries = 256, maxCharacters = 8 * 1024 * 1024, importEngine = importPeer } = options;
  const cache = new ValidatorCache(maxEntries, maxCharacters);
  const byIdentity = new WeakMap<
    object,
    { readonly options: CompileOptions; readonly compiled: CompiledSchema }
  >();
  const metas = new Map<SchemaDraft, AjvCheck>();
  return {
    async compile(schema, how) {
      const held = isJsonObject(schema) ? byIdentity.get(schema) : undefined;
      if (held && held.options.draft === how.draft && held.options.schemas === how.schemas)
        return held.compiled;
      const Ajv = await loadAjv(how.draft, importEngine);
      const text = contentText({ draft: how.draft, schema, schemas: how.schemas });
      const make = text.includes(LEFT_OUT) ? interpret : compileWith(Ajv);
      const compiled = cache.get(sha256(text), text.length, () => {
        checkAgainstMeta(schema, how.draft, metaCheck(metas, how.draft, Ajv));
        return make(schema, how);
      });
      if (isJsonObject(schema)) byIdentity.set(schema, { options: how, compiled });
      return compiled;
    },
  };
}

type Make = (schema: JsonSchema, how: CompileOptions) => CompiledSchema;

/** ajv leaves out a property of this name, so whatever the schema asks of it would hold. */
const LEFT_OUT = '"__proto__"';

function metaCheck(metas: Map<SchemaDraft, AjvCheck>, draft: SchemaDraft, Ajv: AjvConstructor): AjvCheck {
  const known = metas.get(draft);
  if (known) return known;
  const check = createAjv(Ajv, draft).getSchema(META_SCHEMAS[draft])!;
  metas.set(draft, check);
  return check;
}

function checkAgainstMeta(schema: JsonSchema, draft: SchemaDraft, check: AjvCheck): void {
  if (check(schema)) return;
  const [first] = check.errors ?? [];
  const at = first?.instancePath || "the root";
  const reason = `${first?.keyword ?? "schema"} at ${at}`;
  throw outputError("schema_invalid", `not a ${draft} schema: ${reason}`, {
    details: { reason, pointer: first?.instancePath ?? "" },
  });
}

function createAjv(Ajv: AjvConstructor, draft: SchemaDraft): AjvInstance {
  const ajv = new Ajv({
    strict: false,
    // Without it generated code takes the verdict of one keyword for that of another (`prefixItems` for `contains`).
    allErrors: true,
    ownProperties: true,
    validateSchema: false,
    validateFormats: false,
    ignoreKeywordsWithRef: draft === "draft-04" || draft === "draft-07",
    logger: false,
    code: { regExp: Object.assign(boundedRegExp, { code: "boundedRegExp" }) },
  });
  for (const definition of exactKeywords) {
    ajv.removeKeyword(definition.keyword);
    ajv.addKeyword({ ...definition });
  }
  return ajv;
}

/** ajv's regular expressions; `toString` is the key under which it shares them. */
function boundedRegExp(source: string): { test(text: string): boolean; toString(): string } {
  const pattern = readPattern(source);
  if (!pattern) throw new SyntaxError(`not a regular expression: ${source}`);
  return { test: pattern.test, toString: () => source };
}

function compileWith(Ajv: AjvConstructor): Make {
  return (schema, how) => compileGenerated(Ajv, schema, how);
}

function compileGenerated(Ajv: AjvConstructor, schema: JsonSchema, how: CompileOptions): CompiledSchema {
  const said = toEngineSchema(schema, how);
  const root = hoistRepeated(said.root, how.draft);
  try {
    const ajv = createAjv(Ajv, how.draft);
    for (const [id, document] of said.companions) ajv.addSchema(document, id);
    const check = ajv.compile(root);
    const reasons = once(() => {
      const schemas = { ...metaDocuments(schema, ajv), ...how.schemas };
      return interpret(schema, { ...how, schemas });
    });
    return { check: (value) => judge(check, value, reasons) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw outputError("schema_invalid", `the schema does not compile: ${reason}`, {
      details: { reason, pointer: "" },
      cause: error,
    });
  }
}

/** The drafts' own meta-schemas, which ajv brings and the interpreter does not, where the schema refers to them. */
function metaDocuments(schema: JsonSchema, ajv: AjvInstance): Readonly<Record<string, JsonSchema>> {
  const references = [...walkSchema(schema)].flatMap(({ schema: node }) => referencesOf(node));
  if (!references.some((reference) => META_SCHEMA.test(reference))) return {};
  const known = Object.entries({ ...ajv.schemas, ...ajv.refs });
  return Object.fromEntries(
    known.flatMap(([id, entry]) =>
      META_SCHEMA.test(id) && typeof entry === "object" ? [[id, entry.schema]] : [],
    ),
  );
}

function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The generated code gives the verdict; why a value is refused, the interpreter says, which sees the whole of it. */
function judge(check: AjvCheck, value: JsonValue, reasons: () => CompiledSchema): readonly SchemaIssue[] {
  try {
    if (withinPatternBudget(() => check(value))) return [];
  } catch {
    return [{ pointer: "", keyword: "schema", message: "the schema cannot judge this value" }];
  }
  try {
    const issues = reasons().check(value);
    if (issues.length > 0) return issues;
  } catch (error) {
    if (!OutputError.is(error, "schema_invalid")) throw error;
  }
  return [{ pointer: "", keyword: "schema", message: "does not fit the schema" }];
}
