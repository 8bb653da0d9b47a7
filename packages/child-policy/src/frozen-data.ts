/** A copy of plain data that nobody can change: lists and objects all the way down; anything else is taken as it is. */
export function frozenData<T>(value: T): T {
  if (Array.isArray(value)) return Object.freeze(value.map((item: unknown) => frozenData(item))) as T;
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  const copy = Object.entries(value).map(([key, member]) => [key, frozenData<unknown>(member)] as const);
  return Object.freeze(Object.fromEntries(copy)) as T;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
