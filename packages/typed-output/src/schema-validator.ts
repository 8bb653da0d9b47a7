import type { JsonSchema, JsonValue } from "@basis/core";

/** The drafts of JSON Schema that are understood; 06 is read as 07. */
export type SchemaDraft = "draft-04" | "draft-07" | "2019-09" | "2020-12";

/** The kinds of JSON values, as feedback names them. */
export type JsonKind = "string" | "number" | "integer" | "boolean" | "null" | "array" | "object";

/** One reason why a value does not fit its schema; of a union only the best branch's reasons are told. */
export interface SchemaIssue {
  /** JSON pointer into the value. */
  readonly pointer: string;
  /** The keyword that refused; `tag` when a union's discriminator fits no branch. */
  readonly keyword: string;
  /** What is expected, in a few words, without any text of the received value but names of properties: `expected integer`. */
  readonly message: string;
  /** The kinds the schema accepts there; present for `type`. */
  readonly kinds?: readonly JsonKind[];
  /** The values or names the schema accepts there; present for `enum`, `const`, `tag` and unknown properties. */
  readonly allowed?: readonly JsonValue[];
}

/** What a validator needs to know beside the schema. */
export interface CompileOptions {
  readonly draft: SchemaDraft;
  /** Documents that the schema may refer to, by their absolute URI. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** A schema ready to judge values; `check` is pure and never throws. */
export interface CompiledSchema {
  /** Every reason against the value; empty when it fits. */
  check(value: JsonValue): readonly SchemaIssue[];
}

/** The port to a JSON Schema engine. `ajvValidator` of `@basis/typed-output/ajv` is the default. */
export interface SchemaValidator {
  /** @throws OutputError `schema_invalid` for what is no schema, `peer_missing` when the engine is not installed. */
  compile(schema: JsonSchema, options: CompileOptions): Promise<CompiledSchema>;
}

/** The kind of a value; a number without a fraction is an `integer`. */
export function kindOf(value: unknown): JsonKind {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value as JsonKind;
}
