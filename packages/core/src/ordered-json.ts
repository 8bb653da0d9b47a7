const MAX_DEPTH = 256;

/**
 * The canonical form of a plain JSON value whose keys stand in canonical order already, and nothing undefined among its
 * members, written by the engine in one go; undefined for any other value, whether or not it has a canonical form.
 * Used by session and by hosts, most of whose values come in order.
 */
export function orderedJson(value: unknown): string | undefined {
  if (!isOrdered(value, 1)) return undefined;
  const text = JSON.stringify(value);
  // So the engine writes half a character, which has no canonical form.
  return text.includes("\\ud") ? undefined : text;
}

function isOrdered(value: unknown, depth: number): boolean {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || depth > MAX_DEPTH) return false;
  return Array.isArray(value) ? isOrderedArray(value, depth) : isOrderedObject(value, depth);
}

function isOrderedArray(array: readonly unknown[], depth: number): boolean {
  for (let index = 0; index < array.length; index += 1) if (!isOrdered(array[index], depth + 1)) return false;
  return Object.keys(array).length === array.length;
}

function isOrderedObject(value: object, depth: number): boolean {
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  let last: string | undefined;
  for (const key in value) {
    if (last !== undefined && key <= last) return false;
    last = key;
    if (!isOrdered((value as Readonly<Record<string, unknown>>)[key], depth + 1)) return false;
  }
  return true;
}
