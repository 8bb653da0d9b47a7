import { isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import { complaintOf } from "../interpreter/assertions.ts";
import { kindOf } from "../schema-validator.ts";
import { choiceText, same } from "./codec.ts";
import { RESTRICTING } from "./restrictions.ts";
import type { Lowered, LoweringHost, NodeNotes } from "./lowering-host.ts";

type Scalar = "string" | "number" | "boolean" | "null";

/** Lowers `const` or `enum` to the values that what stands beside it allows; undefined where there are none. */
export function lowerConstants(node: JsonObject, host: LoweringHost, notes: NodeNotes): Lowered | undefined {
  const constants = node["const"] === undefined ? node["enum"] : [node["const"]];
  if (!Array.isArray(constants) || constants.length === 0) return undefined;
  const values = (constants as readonly JsonValue[]).filter((value) => isAllowed(value, node));
  if (values.length === 0) {
    notes.drop("enum", "none of the values fits what stands beside them");
    return undefined;
  }
  const lists = values.some((value) => Array.isArray(value));
  const objects = values.some(isJsonObject);
  for (const keyword of Object.keys(node)) {
    if ((objects && OF_MEMBERS.has(keyword)) || (lists && OF_ITEMS.has(keyword))) notes.drop(keyword);
    else if (RESTRICTING.has(keyword)) noteBeside(keyword, notes);
  }
  return lowerChoice(values, host, notes);
}

const OF_MEMBERS = new Set(["properties", "required", "additionalProperties", "patternProperties"]);
const OF_ITEMS = new Set(["prefixItems", "items"]);

/** What stands beside a choice is said by the values that are left of it; a format and an encoding look at none. */
function noteBeside(keyword: string, notes: NodeNotes): void {
  if (keyword === "format" || keyword.startsWith("content")) notes.drop(keyword);
  else notes.change(keyword, "only the values that fit it are offered");
}

/** True when no assertion beside a choice speaks against one of its values. */
function isAllowed(value: JsonValue, node: JsonObject): boolean {
  return Object.keys(node).every((keyword) => complaintOf(node, keyword, value) === undefined);
}

function lowerChoice(values: readonly JsonValue[], host: LoweringHost, notes: NodeNotes): Lowered {
  const others = values.filter((value) => value !== null);
  if (others.length === 0) return { schema: { type: "null" }, codec: same };
  const lowered = lowerOthers(others, host, notes);
  return others.length < values.length ? host.nullable(lowered) : lowered;
}

function lowerOthers(values: readonly JsonValue[], host: LoweringHost, notes: NodeNotes): Lowered {
  const { enumTypes } = host.dialect;
  const types = new Set(values.map(typeOf));
  if (types.size === 1 && types.has("boolean") && !enumTypes.includes("boolean")) {
    if (new Set(values).size === 1) notes.move("enum", `always ${JSON.stringify(values[0])}`);
    return { schema: { type: "boolean" }, codec: same };
  }
  if ([...types].every((type) => enumTypes.includes(type as Scalar))) {
    const groups = [...types].map((type) =>
      oneType(
        values.filter((value) => typeOf(value) === type),
        host,
      ),
    );
    return { schema: groups.length === 1 ? groups[0]! : { anyOf: groups }, codec: same };
  }
  notes.change("enum", "the values are written as JSON text");
  const texts = values.map((value) => JSON.stringify(value));
  return { schema: { type: "string", enum: texts }, codec: choiceText(values) };
}

function oneType(values: readonly JsonValue[], { dialect }: LoweringHost): JsonObject {
  const integers = values.every((value) => Number.isInteger(value));
  const type = integers ? "integer" : typeOf(values[0]!);
  return values.length === 1 && dialect.constants ? { type, const: values[0]! } : { type, enum: values };
}

function typeOf(value: JsonValue): string {
  const kind = kindOf(value);
  return kind === "integer" ? "number" : kind;
}
