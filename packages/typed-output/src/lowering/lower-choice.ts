import type { JsonObject, JsonValue } from "@basis/core";
import { kindOf } from "../schema-validator.ts";
import { choiceText, same } from "./codec.ts";
import type { Lowered, LoweringHost, NodeNotes } from "./lowering-host.ts";

type Scalar = "string" | "number" | "boolean" | "null";

/** Lowers a choice among constants. */
export function lowerChoice(values: readonly JsonValue[], host: LoweringHost, notes: NodeNotes): Lowered {
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
