import type { Dialect } from "@basis/typed-output";

/**
 * What reaches Google of a schema. The provider's package writes every schema anew as Google's own kind, and leaves out
 * what it does not know without a word; what it leaves out is told in the description instead, and stands in the ledger.
 * Source: `convertJSONSchemaToOpenAPISchema` of @ai-sdk/google 3.
 */
export const googleDialect: Dialect = Object.freeze<Dialect>({
  name: "google",
  provider: "google",
  strict: false,
  keeps: ["format", "minLength"],
  formats: ["date-time", "int32", "int64", "float", "double"],
  enumTypes: ["string"],
  constants: false,
  optional: true,
  objects: "silent",
  tuples: false,
  untyped: false,
  lookaround: false,
  nulls: "type_list",
  references: "inlined",
  recursion: "text",
  inclusiveBounds: true,
  ordering: false,
  limits: {},
});
