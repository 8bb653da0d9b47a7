import type { JsonValue } from "@basis/core";
import type { ModelRequest } from "../model.ts";

/** The name of a typed answer's tool; its end is drawn anew for each run. */
const DRAWN = /(basis_output_\w{1,14}_)[0-9a-hjkmnp-tv-z]{16}(?![0-9A-Za-z_])/g;

/** A value with every drawn name replaced by one that is the same in every run. */
export function withoutDrawnNames<Value extends JsonValue>(value: Value): Value {
  return mapTexts(value, undrawn) as Value;
}

function undrawn(text: string): string {
  return text.includes("basis_output_") ? text.replaceAll(DRAWN, "$1drawn") : text;
}

/** A recorded value with the names that this request's tools have. */
export function withDrawnNames<Value extends JsonValue>(value: Value, { tools }: ModelRequest): Value {
  const drawn = tools
    .map(({ name }) => [undrawn(name), name] as const)
    .filter(([kept, name]) => kept !== name);
  if (drawn.length === 0) return value;
  return mapTexts(value, (text) =>
    drawn.reduce((left, [kept, name]) => left.replaceAll(kept, name), text),
  ) as Value;
}

/** The value with every text in it changed, names of members included. */
function mapTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => mapTexts(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [change(name), mapTexts(member, change)]),
  );
}
