import { readFileSync } from "node:fs";

export type Schema = { readonly [keyword: string]: unknown };

type Definitions = Record<string, Schema & { properties: Record<string, Schema>; required: string[] }>;

/** A schema file of this package, and a check of values against its definitions. */
export interface SchemaFile {
  readonly $defs: Definitions;
  isValid(name: string, value: unknown): boolean;
}

const ANNOTATIONS = new Set(["$schema", "$id", "title", "description", "$defs"]);
const files = new Map<string, SchemaFile>();

/** Reads `schema/hook-NAME.schema.json`, which others refer to as `hook-NAME-1.json`. */
export function schemaFile(name: string): SchemaFile {
  let file = files.get(name);
  if (file === undefined) {
    const path = new URL(`../schema/hook-${name}.schema.json`, import.meta.url);
    const { $defs } = JSON.parse(readFileSync(path, "utf8")) as { $defs: Definitions };
    file = { $defs, isValid: (definition, value) => isValid({ $ref: `#/$defs/${definition}` }, value, name) };
    files.set(name, file);
  }
  return file;
}

type Keyword = (argument: never, value: unknown, file: string) => boolean;

/** The keywords that the files use, and no others. */
const KEYWORDS: Record<string, Keyword> = {
  $ref: (ref: string, value, file) => {
    const [, other = file, definition = ""] = /^(?:hook-(\w+)-1\.json)?#\/\$defs\/(\w+)$/.exec(ref)!;
    return isValid(schemaFile(other).$defs[definition]!, value, other);
  },
  anyOf: (branches: Schema[], value, file) => branches.some((branch) => isValid(branch, value, file)),
  not: (schema: Schema, value, file) => !isValid(schema, value, file),
  const: (expected: unknown, value) => value === expected,
  enum: (words: unknown[], value) => words.includes(value),
  minLength: (least: number, value) => typeof value !== "string" || value.length >= least,
  minProperties: (least: number, value) => !isObject(value) || Object.keys(value).length >= least,
  items: (schema: Schema, value, file) =>
    !Array.isArray(value) || value.every((item) => isValid(schema, item, file)),
  minimum: (least: number, value) => typeof value !== "number" || value >= least,
  required: (keys: string[], value) => !isObject(value) || keys.every((key) => Object.hasOwn(value, key)),
  properties: (members: Record<string, Schema>, value, file) =>
    !isObject(value) ||
    Object.entries(members).every(
      ([key, schema]) => !Object.hasOwn(value, key) || isValid(schema, value[key], file),
    ),
  type: (type: string, value) => {
    if (type === "object") return isObject(value);
    if (type === "array") return Array.isArray(value);
    return type === "integer" ? Number.isInteger(value) : typeof value === type;
  },
};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasNoOthers({ properties = {} }: Schema, value: unknown): boolean {
  return !isObject(value) || Object.keys(value).every((key) => Object.hasOwn(properties as object, key));
}

function isValid(schema: Schema, value: unknown, file: string): boolean {
  return Object.entries(schema).every(([keyword, argument]) => {
    if (ANNOTATIONS.has(keyword)) return true;
    if (keyword === "additionalProperties") return argument !== false || hasNoOthers(schema, value);
    const check = KEYWORDS[keyword];
    if (check === undefined) throw new Error(`this checker does not know '${keyword}'`);
    return check(argument as never, value, file);
  });
}
