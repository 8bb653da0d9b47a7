import {
  isStandardSchema,
  type JsonSchema,
  type JsonValue,
  type StandardResult,
  type StandardSchema,
} from "@basis/core";
import { checkSchema, refusal } from "./check-schema.ts";
import type { FromJsonSchema } from "./from-json-schema.ts";
import type { Ledger } from "./ledger.ts";
import { toModelSchema } from "./root-wrapper.ts";
import { copyFrozen, takeJsonSchema } from "./schema-intake.ts";
import type { CompiledSchema, CompileOptions, SchemaDraft, SchemaValidator } from "./schema-validator.ts";
import { detectDraft } from "./schema-walk.ts";
import type { SpecCheck } from "./show-spec.ts";
import type { ModelCapabilities } from "./turn-runner.ts";

/** What a definition may say beside the schema. */
export interface DefinitionOptions {
  /** Any text; the tool's name is made from it. */
  readonly name: string;
  /** What the answer is for. It reaches the model as it stands. */
  readonly description: string;
  /** Documents the schema may refer to, by their absolute URI. Nothing is ever fetched. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
  /** The draft, where the schema's `$schema` does not say it or says it wrongly. */
  readonly draft?: SchemaDraft;
  /** `unique` (default): every reservation has its own tool name. `stable`: one for ever, for prompt caches. */
  readonly naming?: "unique" | "stable";
  /**
   * Default, loaded on first use: `ajvValidator()` of `/ajv` for schemas up to 3,000 characters without
   * references, where ajv is installed and code may be generated; else `interpretingValidator()` of `/interpreter`.
   */
  readonly validator?: SchemaValidator;
}

/** A definition by a JSON Schema the caller wrote. */
export interface JsonSchemaDefinition<Schema extends JsonSchema> extends DefinitionOptions {
  readonly schema: Schema;
}

/** A definition by a type that implements Standard Schema; `jsonSchema` is needed where it has no own. */
export interface StandardDefinition<T> extends DefinitionOptions {
  readonly schema: StandardSchema<unknown, T>;
  readonly jsonSchema?: JsonSchema;
}

/** A typed answer, described once and used for any number of runs. Frozen. */
export interface OutputSpec<T> {
  readonly name: string;
  readonly description: string;
  /** The schema an answer is checked against. */
  readonly schema: JsonSchema;
  /** The schema the model is shown: an object at the root, the author's words unchanged. */
  readonly inputSchema: JsonSchema;
  /** True when the model's schema wraps the author's, since a tool's input must be an object. */
  readonly wrapped: boolean;
  /** False: a shaping turn with the terminal tool alone. True: a working turn with the host's tools beside it. */
  readonly keepsTools: boolean;
  readonly naming: "unique" | "stable";
  readonly ledger: Ledger;
  /** The draft the schema is read in. */
  readonly draft: SchemaDraft;
  /** The documents it may refer to. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** The same answer asked for at the end of a working turn. The spec itself stays as it is. */
  withTools(): OutputSpec<T>;
  /**
   * Compiles the schema, once; a run does it before its first request.
   * @throws OutputError `schema_invalid`, `peer_missing`.
   */
  compile(): Promise<CompiledSchema>;
  /**
   * What a provider's subset of JSON Schema does to the schema: the ledger, the limits, what cannot be said at all.
   * Asks nobody.
   *
   * @throws TypeError for a dialect that is not known.
   */
  check(capabilities: Pick<ModelCapabilities, "dialect">): Promise<SpecCheck>;
  /** Makes the typed value of an answer that fits the schema. */
  decode(value: JsonValue): StandardResult<T> | Promise<StandardResult<T>>;
}

/**
 * Defines a typed answer. Every check that needs no validator is made here; see `spec.compile()` for the rest.
 * `T` comes from the Standard Schema's output, or from a JSON Schema written as a literal.
 *
 * @throws OutputError `definition_error` with the pointer into the schema.
 */
export function defineOutput<T>(definition: StandardDefinition<T>): OutputSpec<T>;
export function defineOutput<const Schema extends JsonSchema>(
  definition: JsonSchemaDefinition<Schema>,
): OutputSpec<FromJsonSchema<Schema>>;
export function defineOutput<T>(definition: JsonSchemaDefinition<JsonSchema>): OutputSpec<T>;
export function defineOutput(
  definition: StandardDefinition<unknown> | JsonSchemaDefinition<JsonSchema>,
): OutputSpec<unknown> {
  const { name, description, naming = "unique", schema: given } = definition ?? {};
  if (typeof name !== "string") throw refusal("bad_name", "", "an output needs a `name`: a text");
  if (given === undefined)
    throw refusal("not_json", "", "an output needs a `schema`: a JSON Schema or a Standard Schema");
  const standard = isStandardSchema(given) ? given : undefined;
  const schema = takeJsonSchema(given, "jsonSchema" in definition ? definition.jsonSchema : undefined);
  const options = compileOptions(schema, definition);
  const checked = checkSchema(schema, options);
  const model = toModelSchema(schema);
  const compile = once(async () =>
    (definition.validator ?? (await loadDefaultValidator())).compile(schema, options),
  );
  return freezeSpec({
    name,
    description,
    schema,
    inputSchema: model.schema === schema ? schema : copyFrozen(model.schema),
    wrapped: model.wrapped,
    naming,
    ledger: Object.freeze([...model.ledger, ...checked].map((entry) => Object.freeze(entry))),
    draft: options.draft,
    schemas: options.schemas,
    compile,
    decode: (value) => (standard ? standard["~standard"].validate(value) : { value }),
  });
}

function compileOptions(schema: JsonSchema, definition: DefinitionOptions): CompileOptions {
  const draft = definition.draft ?? detectDraft(schema);
  if (!draft)
    throw refusal("unknown_draft", "/$schema", "the draft is none of 04, 06, 07, 2019-09 and 2020-12");
  const given = Object.entries(definition.schemas ?? {});
  const schemas = Object.freeze(
    Object.fromEntries(given.map(([id, document]) => [id, copyFrozen(document, `${id}#`)])),
  );
  return { draft, schemas };
}

function freezeSpec<T>(parts: Omit<OutputSpec<T>, "keepsTools" | "withTools" | "check">): OutputSpec<T> {
  const make = (keepsTools: boolean): OutputSpec<T> => {
    const spec: OutputSpec<T> = {
      ...parts,
      keepsTools,
      withTools: () => make(true),
      check: async ({ dialect }) => (await import("./show-spec.ts")).checkSpec(spec, dialect),
    };
    return Object.freeze(spec);
  };
  return make(false);
}

/** Runs a task at the first call; a task that failed is run again by the next. */
function once<T>(task: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= task().catch((error: unknown) => {
      running = undefined;
      throw error;
    });
    return running;
  };
}

async function loadDefaultValidator(): Promise<SchemaValidator> {
  const { defaultValidator } = await import("./default-validator.ts");
  return defaultValidator;
}
