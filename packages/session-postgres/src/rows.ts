import { emptyUsage, type JsonObject, type JsonValue, type TokenUsage } from "@basis/core";
import type { SqlRow, SqlValue } from "./sql.ts";

/** A column's whole number. */
export function integerOf(row: SqlRow, column: string): number {
  return Number(row[column]);
}

/** A column's whole number, or null. */
export function optionalInteger(row: SqlRow, column: string): number | null {
  const value = row[column] ?? null;
  return value === null ? null : Number(value);
}

/** A column's text. */
export function textOf(row: SqlRow, column: string): string {
  return row[column] as string;
}

/** A column's text, or null. */
export function optionalText(row: SqlRow, column: string): string | null {
  return (row[column] as string | null | undefined) ?? null;
}

/** A column's JSON, frozen all through; null when the column is. */
export function jsonOf(row: SqlRow, column: string): JsonValue {
  const text = optionalText(row, column);
  return text === null ? null : freeze(JSON.parse(text) as JsonValue);
}

/** A usage column. */
export function usageOf(row: SqlRow, column: string): TokenUsage {
  const counts = jsonOf(row, column) as readonly [number, number, number, number] | null;
  if (counts === null) return emptyUsage;
  const [inputTokens, outputTokens, cachedInputTokens, reasoningTokens] = counts;
  return Object.freeze({ inputTokens, outputTokens, cachedInputTokens, reasoningTokens });
}

/** A usage as its column keeps it: the JSON array of its counts, null for none. */
export function packUsage(usage: TokenUsage): string | null {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage;
  const counts = [inputTokens, outputTokens, cachedInputTokens, reasoningTokens];
  return counts.every((count) => count === 0) ? null : JSON.stringify(counts);
}

/** A value as a JSON column keeps it; null is the column's null. */
export function packJson(value: JsonValue): SqlValue {
  return value === null ? null : JSON.stringify(value);
}

/** A list or object that is mostly empty as its column keeps it: null when it is. */
export function packFilled(value: readonly JsonValue[] | JsonObject): SqlValue {
  return Object.keys(value).length === 0 ? null : JSON.stringify(value);
}

/** A text's UTF-16 units as bytes that sort as the text does. */
export function sortableBytes(text: string): Uint8Array {
  return Buffer.from(text, "utf16le").swap16();
}

function freeze(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}
