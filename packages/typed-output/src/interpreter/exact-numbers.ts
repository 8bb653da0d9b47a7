import type { JsonValue } from "@basis/core";

/** The verdict depends on digits that were lost when a number was read. */
export class LostDigitsError extends Error {}

let lost: ReadonlySet<number> | undefined;

/** Does synchronous work in which no verdict may depend on what these numbers were before they were rounded. */
export function withLostDigits<T>(numbers: ReadonlySet<number>, work: () => T): T {
  const before = lost;
  lost = numbers;
  try {
    return work();
  } finally {
    lost = before;
  }
}

/** Says that the digits of a number decide here. @throws LostDigitsError when it has lost some. */
export function needDigits(value: JsonValue): void {
  if (lost !== undefined && holdsLost(value, lost)) throw new LostDigitsError();
}

function holdsLost(value: JsonValue, numbers: ReadonlySet<number>): boolean {
  if (typeof value === "number") return numbers.has(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((part: JsonValue) => holdsLost(part, numbers));
}
