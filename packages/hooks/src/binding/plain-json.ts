const MAX_DEPTH = 256;

/** What in a value JSON cannot hold as it is, such as a `Date`; undefined when its JSON is all of it. */
export function whyNotJson(value: unknown, depth: number = 1): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  if (depth > MAX_DEPTH) return `nested deeper than ${MAX_DEPTH} levels`;
  return Array.isArray(value) ? firstReason(value, depth) : reasonOfObject(value, depth);
}

function reasonOfObject(value: object, depth: number): string | undefined {
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return "an object with a toJSON";
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return "an instance of a class";
  if (Object.hasOwn(value, "__proto__")) return "a key __proto__";
  const members = Object.values(value as Record<string, unknown>);
  return firstReason(
    members.filter((member) => member !== undefined),
    depth,
  );
}

function firstReason(values: readonly unknown[], depth: number): string | undefined {
  for (const value of values) {
    const reason = whyNotJson(value, depth + 1);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
