/** A copy of plain data that nobody can change: lists and objects all the way down; anything else is taken as it is. */
export function frozenData<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenItem)) as T;
  if (!isPlain(value)) return value;
  const copy = { ...value } as Record<string, unknown>;
  for (const key of Object.keys(copy)) copy[key] = frozenItem(copy[key]);
  return Object.freeze(copy) as T;
}

const frozenItem = (item: unknown): unknown => (typeof item === "object" ? frozenData(item) : item);

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
