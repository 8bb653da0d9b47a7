import type { JsonValue } from "@basis/core";
import { isMultipleOf } from "../decimal-multiple.ts";
import { findEqualItems, oneOfThese } from "../interpreter/json-equality.ts";

/** A keyword as ajv takes it. */
interface Keyword {
  readonly keyword: string;
  readonly type?: string;
  readonly schemaType?: string;
  readonly compile: (operand: never) => (value: never) => boolean;
}

/**
 * Keywords that ajv gets wrong. It divides floating-point numbers; and it compares objects by their own `valueOf`,
 * `toString` and `constructor`, which in JSON are members like any other: it throws, or takes what is equal for different.
 */
export const exactKeywords: readonly Keyword[] = [
  {
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    compile: (divisor: number) => (value: number) => isMultipleOf(value, divisor),
  },
  { keyword: "enum", schemaType: "array", compile: (allowed: readonly JsonValue[]) => oneOfThese(allowed) },
  { keyword: "const", compile: (only: JsonValue) => oneOfThese([only]) },
  {
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    compile: (wanted: boolean) => (list: readonly JsonValue[]) => !wanted || !findEqualItems(list),
  },
];
