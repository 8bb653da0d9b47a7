import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@basis/core";
import { followLocal } from "../schema-references.ts";

/** Keywords whose schemas judge the same value. */
const IN_PLACE = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
/** Keywords whose schemas judge members of any name, or items of any place. */
const FOR_MEMBERS = ["additionalProperties", "unevaluatedProperties", "patternProperties"];
const FOR_ITEMS = ["items", "additionalItems", "contains", "unevaluatedItems"];

/**
 * The schemas that may judge the value at a path inside a value, when `schema` judges that value.
 * References are followed; conditions are not decided, so that the answer is an upper bound.
 */
export function applicableAt(
  schema: JsonSchema,
  path: readonly string[],
  root: JsonSchema,
): ReadonlySet<JsonObject> {
  let current = inPlace([schema], root);
  for (const token of path)
    current = inPlace(
      [...current].flatMap((node) => below(node, token)),
      root,
    );
  return current;
}

function inPlace(schemas: readonly JsonValue[], root: JsonSchema): ReadonlySet<JsonObject> {
  const found = new Set<JsonObject>();
  const open = [...schemas];
  while (open.length > 0) {
    const next = open.pop()!;
    if (!isJsonObject(next) || found.has(next)) continue;
    found.add(next);
    if (next["$ref"] !== undefined) open.push(followLocal(root, next));
    for (const keyword of IN_PLACE) open.push(...schemasIn(next[keyword]));
    open.push(...members(next["dependentSchemas"]), ...members(next["dependencies"]));
  }
  return found;
}

function below(schema: JsonObject, token: string): readonly JsonValue[] {
  const properties = schema["properties"];
  const named = isJsonObject(properties) && Object.hasOwn(properties, token) ? [properties[token]!] : [];
  const patterned = members(schema["patternProperties"]);
  const others = named.length > 0 ? [] : FOR_MEMBERS.flatMap((keyword) => schemasIn(schema[keyword]));
  if (!/^\d+$/.test(token)) return [...named, ...patterned, ...others];
  const places = [schema["prefixItems"], schema["items"]].flatMap((list) =>
    Array.isArray(list) ? [(list as JsonValue[])[Number(token)]!] : [],
  );
  return [
    ...named,
    ...patterned,
    ...others,
    ...places,
    ...FOR_ITEMS.flatMap((keyword) => schemasIn(schema[keyword])),
  ];
}

function schemasIn(value: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(value)) return value as readonly JsonValue[];
  return value === undefined ? [] : [value];
}

function members(value: JsonValue | undefined): readonly JsonValue[] {
  return isJsonObject(value) ? Object.values(value) : [];
}
