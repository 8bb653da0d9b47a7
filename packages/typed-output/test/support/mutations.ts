import { isJsonObject, type JsonValue } from "@basis/core";

/** Numbers between 0 and 1, the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const REPLACEMENTS: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  1.5,
  "",
  "x",
  [],
  {},
  ["a", "a"],
  { other: 1 },
];

/** A copy of a value, changed somewhere: a part replaced, left out, added or renamed. */
export function mutate(value: JsonValue, random: () => number): JsonValue {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  if (Array.isArray(value) && value.length > 0 && random() < 0.8) {
    const items = value as readonly JsonValue[];
    const at = Math.floor(random() * items.length);
    if (random() < 0.15) return items.filter((_, index) => index !== at);
    if (random() < 0.15) return [...items, items[at]!];
    return items.map((item, index) => (index === at ? mutate(item, random) : item));
  }
  if (isJsonObject(value) && Object.keys(value).length > 0 && random() < 0.85) {
    const name = pick(Object.keys(value));
    const { [name]: member, ...rest } = value;
    if (random() < 0.15) return rest;
    if (random() < 0.15) return { ...value, [`${name}x`]: member! };
    return { ...value, [name]: mutate(member!, random) };
  }
  return pick(REPLACEMENTS);
}
