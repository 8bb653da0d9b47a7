import { emptyUsage, type JsonObject, type JsonValue, type TokenUsage } from "@basis/core";

/** A row as a driver answers it, by column. */
export type ColumnRow = Readonly<Record<string, unknown>>;

/** A column's whole number. */
export function integerOf(row: ColumnRow, column: string): number {
  return Number(row[column]);
}

/** A column's whole number, or null. */
export function optionalInteger(row: ColumnRow, column: string): number | null {
  const value = row[column] ?? null;
  return value === null ? null : Number(value);
}

/** A column's JSON, frozen all through; null when the column is. */
export function jsonOf(row: ColumnRow, column: string): JsonValue {
  const text = row[column] ?? null;
  return text === null ? null : freeze(JSON.parse(text as string) as JsonValue);
}

/** A usage column. */
export function usageOf(row: ColumnRow, column: string): TokenUsage {
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
export function packJson(value: JsonValue): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** A list or object that is mostly empty as its column keeps it: null when it is. */
export function packFilled(value: readonly JsonValue[] | JsonObject): string | null {
  return Object.keys(value).length === 0 ? null : JSON.stringify(value);
}

function freeze(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  for (const item of Object.values(value)) freeze(item);
  return Object.freeze(value);
}
