import { parseStrict, type JsonValue } from "@basis/core";
import { keepsNumbers } from "../lost-digits.ts";
import type { SchemaIssue } from "../schema-validator.ts";

/** What could not be lifted: an issue against the answer, its pointer in the lowered answer. */
export type LiftIssue = SchemaIssue;

/** Between the author's values at one place and what the model writes there. */
export interface Codec {
  /** What the model writes for a value; undefined where it has no form. */
  lower(value: JsonValue): JsonValue | undefined;
  /** The value that the model's writing stands for. What has another shape than asked for is left as it is. */
  lift(written: JsonValue, pointer: string, issues: LiftIssue[]): JsonValue;
  /** Where in the writing a place of the value stands. */
  place(tokens: readonly string[], written: JsonValue | undefined): readonly string[];
}

/** Value and writing are the same. */
export const same: Codec = {
  lower: (value) => value,
  lift: (written) => written,
  place: (tokens) => tokens,
};

/** The value is written as JSON text inside a string. */
export const jsonText: Codec = {
  lower: (value) => JSON.stringify(value),
  lift(written, pointer, issues) {
    if (typeof written !== "string") return written;
    const parsed = parseStrict(written);
    if (parsed.ok && keepsNumbers(parsed, written)) return parsed.value;
    const message = parsed.ok
      ? "a number is too large, or has more digits than are kept"
      : `expected JSON text: ${parsed.message}`;
    issues.push({ pointer, keyword: "json", message });
    return written;
  },
  place: () => [],
};

/** Null is written as it is, anything else by another codec. */
export function nullOr(codec: Codec): Codec {
  if (codec === same) return same;
  return {
    lower: (value) => (value === null ? null : codec.lower(value)),
    lift: (written, pointer, issues) => (written === null ? null : codec.lift(written, pointer, issues)),
    place: (tokens, written) => codec.place(tokens, written),
  };
}

/** A choice among values that are written as their JSON text. */
export function choiceText(values: readonly JsonValue[]): Codec {
  const byText = new Map(values.map((value) => [JSON.stringify(value), value]));
  return {
    lower: (value) => JSON.stringify(value),
    lift: (written) => (typeof written === "string" ? (byText.get(written) ?? written) : written),
    place: () => [],
  };
}

/** A codec that is known later: of a schema that contains itself. */
export class ReferenceCodec implements Codec {
  target: Codec = same;

  lower(value: JsonValue): JsonValue | undefined {
    return this.target.lower(value);
  }

  lift(written: JsonValue, pointer: string, issues: LiftIssue[]): JsonValue {
    return this.target.lift(written, pointer, issues);
  }

  place(tokens: readonly string[], written: JsonValue | undefined): readonly string[] {
    return this.target.place(tokens, written);
  }
}
