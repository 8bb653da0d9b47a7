/** A JSON value, as `JSON.parse` yields it. Used by every package that reads or writes JSON. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. Own properties only; look names from outside up with `Object.hasOwn`. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Why a text is not one acceptable JSON document. */
export type JsonProblem =
  | "not_json"
  | "unterminated"
  | "trailing_text"
  | "duplicate_key"
  | "prototype_key"
  | "too_deep"
  | "too_large";

/**
 * What `parseStrict` answers. `unsafeIntegers` are JSON pointers of integers beyond 2^53, whose value lost digits.
 * `longNumbers`: some number has an exponent or more than 16 characters, so that it may have lost digits, or be infinite;
 * where that is false and there are no unsafe integers, every number is the one that was written.
 */
export type StrictParse =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      readonly unsafeIntegers: readonly string[];
      readonly longNumbers: boolean;
    }
  | { readonly ok: false; readonly problem: JsonProblem; readonly message: string; readonly offset: number };

/** Limits of `parseStrict`. */
export interface StrictParseOptions {
  /** Most UTF-8 bytes the text may have. Default 1 MiB. */
  readonly maxBytes?: number;
  /** Most nested arrays and objects. Default 64. */
  readonly maxDepth?: number;
}

/** True for an object that is neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Appends one reference token to a JSON pointer. Source: RFC 6901. */
export function childPointer(parent: string, token: string | number): string {
  return `${parent}/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
