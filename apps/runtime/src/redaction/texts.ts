import { isJsonObject, type JsonValue } from "@basis/core";

/** What stands in place of a text that was taken out. */
export const REDACTED = "[redacted]";

/** The shortest text that can be taken out: shorter ones stand anywhere. */
export const SHORTEST_TEXT = 4;

/** How deep a text may stand in JSON inside JSON. */
const DEPTH = 2;

/** Texts as they may stand in a value: as they are, in JSON, and in JSON inside that. The longest first, so that none leaves a rest of another. */
export function formsOf(texts: readonly string[]): readonly string[] {
  const forms = new Set<string>();
  for (const text of texts) {
    let form = text;
    for (let depth = 0; depth <= DEPTH; depth += 1) {
      forms.add(form);
      form = JSON.stringify(form).slice(1, -1);
    }
  }
  return [...forms].toSorted((one, other) => other.length - one.length);
}

/** The text without these forms. */
export function cleanText(text: string, forms: readonly string[]): string {
  return forms.reduce((rest, form) => rest.replaceAll(form, () => REDACTED), text);
}

/** A value without these forms: in its texts, its keys and its numbers. The same value when it has none of them. */
export function cleanValue<T extends JsonValue>(value: T, forms: readonly string[]): T {
  return (changedValue(value, forms) ?? value) as T;
}

/** A value whose texts are changed, but those in fields that `fixed` names; the same value when none is. Names of fields stay. */
export function withTexts(value: JsonValue, fixed: RegExp, change: (text: string) => string): JsonValue {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue) => withTexts(item, fixed, change));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(
    ([key, member]) => [key, fixed.test(key) ? member : withTexts(member, fixed, change)] as const,
  );
  return members.every(([key, member]) => member === value[key]) ? value : Object.fromEntries(members);
}

/** Every text in a value, and every number as one. */
export function* textsIn(value: JsonValue): Iterable<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "number") yield String(value);
  else if (Array.isArray(value)) for (const item of value) yield* textsIn(item);
  else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      yield key;
      yield* textsIn(member);
    }
  }
}

function changedValue(value: JsonValue, forms: readonly string[]): JsonValue | undefined {
  if (typeof value === "string") return unless(cleanText(value, forms), value);
  if (typeof value === "number")
    return forms.some((form) => String(value).includes(form)) ? REDACTED : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item) => changedValue(item, forms));
    return items.every((item) => item === undefined)
      ? undefined
      : items.map((item, at) => item ?? value[at]!);
  }
  let found = false;
  const members = Object.entries(value).map(([key, member]) => {
    const cleaned = changedValue(member, forms);
    const name = cleanText(key, forms);
    found ||= cleaned !== undefined || name !== key;
    return [name, cleaned ?? member] as const;
  });
  return found ? Object.fromEntries(members) : undefined;
}

function unless(cleaned: string, text: string): string | undefined {
  return cleaned === text ? undefined : cleaned;
}
