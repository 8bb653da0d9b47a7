import { UsageError } from "./exit-code.ts";

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Reads `90s`, `10m`, `1h` or `500ms` as milliseconds. */
export function parseDuration(text: string, option: string): number {
  const found = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text);
  const ms = found ? Number(found[1]) * units[found[2]!]! : Number.NaN;
  if (!Number.isFinite(ms) || ms <= 0) {
    throw new UsageError(`${option} takes a duration such as 90s, 10m or 1h, not '${text}'`);
  }
  return ms;
}

/** Reads a whole number of at least `least`. */
export function parseCount(text: string, option: string, least = 1): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(count) || count < least) {
    throw new UsageError(`${option} takes a whole number of at least ${least}, not '${text}'`);
  }
  return count;
}
