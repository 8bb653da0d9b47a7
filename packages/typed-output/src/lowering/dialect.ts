/** The providers' subsets of JSON Schema that are known by name. */
export type DialectName = "openai" | "anthropic" | "gemini" | "openapi";

/** The limits of a provider's subset; what is absent has none. */
export interface DialectLimits {
  /** Properties of all objects together. */
  readonly properties?: number;
  /** Levels of objects and lists. */
  readonly depth?: number;
  /** Characters of property names, definition names, choices and constants together. */
  readonly characters?: number;
  /** Values of all choices together. */
  readonly enumValues?: number;
  /** Characters of one choice of more than 250 texts. */
  readonly longEnumCharacters?: number;
  /** Properties that may be left out. */
  readonly optional?: number;
  /** Places that accept several types. */
  readonly unions?: number;
  /** Strict tools in one request; the terminal tool is one of them. */
  readonly strictTools?: number;
}

/** A provider's subset of JSON Schema, as data: what a provider changes is changed in a copy of its table. */
export interface Dialect {
  readonly name: string;
  /** Whose subset it is, as the ledger names it. */
  readonly provider: string;
  /** True when requests say `strict`. */
  readonly strict: boolean;
  /** Keywords that carry a restriction and are kept as they stand. Others go into the description. */
  readonly keeps: readonly string[];
  /** Formats that are kept; absent: all. */
  readonly formats?: readonly string[];
  /** The types of values that a choice may hold. */
  readonly enumTypes: readonly ("string" | "number" | "boolean" | "null")[];
  /** False: a constant is a choice of one. */
  readonly constants: boolean;
  /** False: what may be left out is asked for, and may be null. */
  readonly optional: boolean;
  /** `closed`: every object says `additionalProperties: false`; `open`: it may say anything; `silent`: it never says it. */
  readonly objects: "closed" | "open" | "silent";
  /** True where a list may give each place its own schema. */
  readonly tuples: boolean;
  /** True where a schema may be without a type. */
  readonly untyped: boolean;
  /** True where a pattern may look around. */
  readonly lookaround: boolean;
  /** How a type says that null is accepted too. */
  readonly nulls: "type_list" | "any_of" | "nullable";
  /** How schemas refer to each other. */
  readonly references: "kept" | "inlined";
  /** Where a schema may contain itself: anywhere, in properties that may be left out, nowhere (it is written as JSON text). */
  readonly recursion: "anywhere" | "optional" | "text";
  /** Smallest lengths of a list that can be asked for; absent: any. */
  readonly minItems?: readonly number[];
  /** True where bounds of integers that exclude their limit become inclusive ones. */
  readonly inclusiveBounds: boolean;
  /** True where the order of properties is said apart. */
  readonly ordering: boolean;
  readonly limits: DialectLimits;
}

const BOUNDS = ["multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];
const FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/** Source: OpenAI's guide to structured outputs (2026-02) and the transformer of openai-node 7.59. */
const openai: Dialect = {
  name: "openai",
  provider: "openai",
  strict: true,
  keeps: ["pattern", "format", "minItems", "maxItems", ...BOUNDS],
  formats: FORMATS,
  enumTypes: ["string", "number", "boolean", "null"],
  constants: true,
  optional: false,
  objects: "closed",
  tuples: false,
  untyped: false,
  lookaround: false,
  nulls: "type_list",
  references: "kept",
  recursion: "anywhere",
  inclusiveBounds: false,
  ordering: false,
  limits: {
    properties: 5_000,
    depth: 10,
    characters: 120_000,
    enumValues: 1_000,
    longEnumCharacters: 15_000,
  },
};

/** Source: the transformer of Anthropic's SDK 1.14; the ceilings were reported by third parties. */
const anthropic: Dialect = {
  name: "anthropic",
  provider: "anthropic",
  strict: true,
  keeps: ["format", "minItems"],
  formats: [...FORMATS, "uri"],
  enumTypes: ["string", "number", "boolean", "null"],
  constants: true,
  optional: true,
  objects: "closed",
  tuples: false,
  untyped: false,
  lookaround: false,
  nulls: "any_of",
  references: "kept",
  recursion: "anywhere",
  minItems: [0, 1],
  inclusiveBounds: false,
  ordering: false,
  limits: { optional: 24, unions: 16, strictTools: 20 },
};

/** Source: the documentation of `responseJsonSchema` in Google's genai SDK 3.3. */
const gemini: Dialect = {
  name: "gemini",
  provider: "google",
  strict: false,
  keeps: ["format", "minItems", "maxItems", "minimum", "maximum"],
  enumTypes: ["string", "number"],
  constants: false,
  optional: true,
  objects: "open",
  tuples: true,
  untyped: true,
  lookaround: true,
  nulls: "type_list",
  references: "kept",
  recursion: "optional",
  inclusiveBounds: true,
  ordering: true,
  limits: {},
};

/** Source: the `Schema` message of Google's Gemini API, which follows OpenAPI 3.0. */
const openapi: Dialect = {
  name: "openapi",
  provider: "google",
  strict: false,
  keeps: ["format", "minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength", "pattern"],
  formats: ["date-time", "int32", "int64", "float", "double"],
  enumTypes: ["string"],
  constants: false,
  optional: true,
  objects: "silent",
  tuples: false,
  untyped: false,
  lookaround: false,
  nulls: "nullable",
  references: "inlined",
  recursion: "text",
  inclusiveBounds: true,
  ordering: true,
  limits: {},
};

/** The tables of the subsets known by name. */
export const dialects: Readonly<Record<DialectName, Dialect>> = Object.freeze({
  openai,
  anthropic,
  gemini,
  openapi,
});

/** A table of one's own has every part that a table has. */
function checkedTable(table: Dialect): Dialect {
  const missing = Object.keys(openai).find((part) => part !== "formats" && !Object.hasOwn(table, part));
  if (missing === undefined) return table;
  throw new TypeError(`the dialect's table has no ${missing}; begin with a copy of one of dialects`);
}

/** A dialect by its name or its own table. @throws TypeError for a name that is not known, or a table that lacks a part. */
export function dialectOf(dialect: DialectName | Dialect): Dialect {
  if (typeof dialect === "object" && dialect !== null) return checkedTable(dialect);
  if (typeof dialect === "string" && Object.hasOwn(dialects, dialect)) return dialects[dialect];
  throw new TypeError(
    `no dialect is named ${JSON.stringify(dialect)}; there are ${Object.keys(dialects).join(", ")}`,
  );
}
