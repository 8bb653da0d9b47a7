import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import { mapSchema } from "../schema-walk.ts";

/** Says a schema of an older draft, or with OpenAPI's `nullable`, in the words of 2020-12. */
export function toNormalForm(node: JsonObject): JsonObject {
  const said: Record<string, JsonValue> = { ...node };
  for (const [flag, bound] of BOUNDS) {
    if (said[flag] === true) {
      said[flag] = said[bound]!;
      delete said[bound];
    } else if (said[flag] === false) delete said[flag];
  }
  if (said["nullable"] === true && said["type"] !== undefined) {
    said["type"] = [...new Set([...([said["type"]].flat() as string[]), "null"])];
  }
  delete said["nullable"];
  if (Array.isArray(said["items"])) {
    said["prefixItems"] = said["items"];
    if (said["additionalItems"] === undefined) delete said["items"];
    else said["items"] = said["additionalItems"];
  }
  delete said["additionalItems"];
  if (isJsonObject(said["definitions"])) delete said["definitions"];
  return said;
}

const BOUNDS = [
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
] as const;

/** Says OpenAPI's `nullable`, which stands over choices and unions too, in the words of 2020-12. */
export function spellOutNullable(schema: JsonSchema): JsonSchema {
  return mapSchema(schema, (node) => {
    const { nullable, ...rest } = node;
    return nullable === true ? { anyOf: [rest, { type: "null" }] } : node;
  });
}
