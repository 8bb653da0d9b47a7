import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import { equalJson } from "../interpreter/json-equality.ts";
import { same } from "./codec.ts";
import type { Lowered, LoweringHost } from "./lowering-host.ts";
import { UnionCodec } from "./union-codec.ts";

/** One schema for several lowered alternatives: equal ones once, null as the dialect says it. */
export function joinBranches(branches: readonly Lowered[], host: LoweringHost): Lowered {
  const flat = branches.flatMap((branch) => (branch.codec === same ? alternatives(branch) : [branch]));
  const distinct: Lowered[] = [];
  for (const branch of flat) {
    const known = distinct.some(
      ({ schema, codec }) => codec === branch.codec && equalJson(schema, branch.schema),
    );
    if (!known) distinct.push(branch);
  }
  const others = distinct.filter(({ schema }) => schema["type"] !== "null");
  if (others.length < distinct.length && others.length > 0) return host.nullable(joinOthers(others, host));
  return joinOthers(distinct, host);
}

function joinOthers(branches: readonly Lowered[], host: LoweringHost): Lowered {
  const [only] = branches;
  if (branches.length === 1 && only) return only;
  const isPlain = branches.every(({ codec }) => codec === same);
  const schema: JsonObject = { anyOf: branches.map((branch) => branch.schema) };
  return { schema, codec: isPlain ? same : new UnionCodec(branches, host.count) };
}

/** The alternatives of a union inside a union, when it says nothing else. */
function alternatives({ schema }: Lowered): readonly Lowered[] {
  const inner = schema["anyOf"];
  if (!Array.isArray(inner) || Object.keys(schema).length > 1) return [{ schema, codec: same }];
  return (inner as readonly JsonObject[]).map((branch) => ({ schema: branch, codec: same }));
}

/** Lets a lowered schema accept null, as the dialect says it. */
export function addNull({ schema, codec }: Lowered, nulls: "type_list" | "any_of" | "nullable"): JsonObject {
  const { title, description, ...rest } = schema;
  const said = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
  if (nulls === "nullable") return { ...schema, nullable: true };
  const type = rest["type"];
  const isPlainType = typeof type === "string" && rest["enum"] === undefined && rest["const"] === undefined;
  if (nulls === "type_list" && isPlainType && codec === same) return { ...schema, type: [type, "null"] };
  const inner = rest["anyOf"];
  const branches: readonly JsonValue[] =
    Array.isArray(inner) && Object.keys(rest).length === 1 ? inner : [rest];
  return { ...said, anyOf: [...branches, { type: "null" }] };
}

const KINDS_BY_KEYWORD: readonly (readonly [string, string])[] = [
  [
    "object",
    "properties required additionalProperties patternProperties propertyNames minProperties maxProperties dependentRequired",
  ],
  ["array", "items prefixItems additionalItems minItems maxItems uniqueItems contains"],
  ["string", "minLength maxLength pattern contentEncoding contentMediaType"],
  ["number", "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"],
];

/** The kinds that a schema without a type speaks of. */
export function impliedKinds(node: JsonObject): readonly string[] {
  return KINDS_BY_KEYWORD.filter(([, keywords]) =>
    keywords.split(" ").some((keyword) => Object.hasOwn(node, keyword)),
  ).map(([kind]) => kind);
}

/** The kinds that a schema names. */
export function namedKinds(node: JsonObject): readonly string[] {
  const type = node["type"];
  if (type === undefined) return [];
  const kinds = [type].flat() as string[];
  return kinds.includes("number") ? kinds.filter((kind) => kind !== "integer") : kinds;
}

/** True where null fits a lowered schema that refers to nothing. */
export function fitsNull(schema: JsonSchema): boolean {
  if (!isJsonObject(schema)) return schema;
  if (schema["nullable"] === true || schema["const"] === null) return true;
  if (Array.isArray(schema["enum"])) return (schema["enum"] as readonly JsonValue[]).includes(null);
  if (Array.isArray(schema["anyOf"])) return (schema["anyOf"] as readonly JsonSchema[]).some(fitsNull);
  const type = schema["type"];
  return type === undefined
    ? schema["$ref"] === undefined && schema["const"] === undefined
    : [type].flat().includes("null");
}
