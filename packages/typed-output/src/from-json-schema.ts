import type { JsonObject, JsonValue } from "@basis/core";

type Flat<T> = { [Key in keyof T]: T[Key] };

type Required<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never;

type ObjectOf<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      {
        -readonly [Key in keyof Properties as Key extends Required<Schema> ? Key : never]: FromJsonSchema<
          Properties[Key]
        >;
      } & {
        -readonly [Key in keyof Properties as Key extends Required<Schema> ? never : Key]?: FromJsonSchema<
          Properties[Key]
        >;
      }
    >
  : Schema extends { readonly additionalProperties: infer Values extends object }
    ? { [name: string]: FromJsonSchema<Values> }
    : JsonObject;

type ArrayOf<Schema> = Schema extends { readonly items: infer Items extends object | boolean }
  ? FromJsonSchema<Items>[]
  : JsonValue[];

type OfKind<Schema, Kind> = Kind extends "string"
  ? string
  : Kind extends "number" | "integer"
    ? number
    : Kind extends "boolean"
      ? boolean
      : Kind extends "null"
        ? null
        : Kind extends "array"
          ? ArrayOf<Schema>
          : Kind extends "object"
            ? ObjectOf<Schema>
            : JsonValue;

/**
 * The type of the values of a JSON Schema written as a literal: `type`, `properties`, `required`, `items`,
 * `enum`, `const`, `anyOf` and `oneOf`. Anything else, and a schema that is not a literal, is `JsonValue`.
 */
export type FromJsonSchema<Schema> = string extends keyof Schema
  ? JsonValue
  : Schema extends { readonly const: infer Value }
    ? Value
    : Schema extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : Schema extends
            | { readonly anyOf: readonly (infer Branch)[] }
            | { readonly oneOf: readonly (infer Branch)[] }
        ? Branch extends unknown
          ? FromJsonSchema<Branch>
          : never
        : Schema extends { readonly type: readonly (infer Kind)[] }
          ? OfKind<Schema, Kind>
          : Schema extends { readonly type: infer Kind }
            ? OfKind<Schema, Kind>
            : JsonValue;
