import { emptyUsage, type JsonObject, type JsonValue, type TokenUsage } from "@basis/core";
import type { SqlRow, SqlValue } from "./driver.ts";
import { unpack, unpackOptional } from "./packed-text.ts";

/** A column's whole number. */
export function integerOf(row: SqlRow, column: string): number {
  return Number(row[column]);
}

/** A column's whole number, or null. */
export function optionalInteger(row: SqlRow, column: string): number | null {
  const value = row[column] ?? null;
  return value === null ? null : Number(value);
}

/** A packed column's text. */
export function textOf(row: SqlRow, column: string): string {
  return unpack(row[column] ?? null);
}

/** A packed column's text, or null. */
export function optionalText(row: SqlRow, column: string): string | null {
  return unpackOptional(row[column] ?? null);
}

/** A column's JSON, frozen all through; null when the column is. */
export function jsonOf(row: SqlRow, column: string): JsonValue {
  const text = row[column] ?? null;
  return text === null ? null : freeze(JSON.parse(String(text)) as JsonValue);
}

/** A usage column. */
export function usageOf(row: SqlRow, column: string): TokenUsage {
  const counts = jsonOf(row, column) as readonly [number, number, number, number] | null;
  if (counts === null) return emptyUsage;
  const [inputTokens, outputTokens, cachedInputTokens, reasoningTokens] = counts;
  return Object.freeze({ inputTokens, outputTokens, cachedInputTokens, reasoningTokens });
}

/** A usage as its column keeps it. */
export function packUsage(usage: TokenUsage): SqlValue {
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

function freeze(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}
