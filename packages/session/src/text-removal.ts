import type { JsonValue } from "@basis/core";
import type { OutboxEvent } from "./outbox.ts";
import { structuralFields } from "./redact-message.ts";
import { redactedText } from "./redact-model-message.ts";

/** Fields of a value that whoever wrote it reads again: words, ids and names of its own, and what may be used. */
const fixedFields =
  /^(?:type|role|kind|status|state|id|.*(?:Id|_id|ID)|model|member|sourceMember|allow|deny)$/;

/**
 * A value with each of these texts taken out of what it says. Names of fields stay, and so do the values of those that
 * say what something is, which it is and what may be used. Undefined when it says none of them. Pure.
 */
export function withoutTexts(value: JsonValue, texts: readonly string[]): JsonValue | undefined {
  return withoutTextsBut(fixedFields, value, texts);
}

/** A message with each of these texts taken out, as `withoutTexts`; what stays is what stays when one is redacted as a whole. Pure. */
export function messageWithoutTexts(message: JsonValue, texts: readonly string[]): JsonValue | undefined {
  return withoutTextsBut(structuralFields, message, texts);
}

/** The payload of a waiting event with each of these texts taken out; a first input holds a message. Pure. */
export function payloadWithoutTexts(
  { kind, payload }: Pick<OutboxEvent, "kind" | "payload">,
  texts: readonly string[],
): JsonValue | undefined {
  return kind === "session.input" ? messageWithoutTexts(payload, texts) : withoutTexts(payload, texts);
}

function withoutTextsBut(fixed: RegExp, value: JsonValue, texts: readonly string[]): JsonValue | undefined {
  // The longest first: what stands inside another text would leave the rest of that behind.
  const longestFirst = texts.toSorted((one, other) => other.length - one.length);
  let found = false;
  const clean = (said: JsonValue, field: string): JsonValue => {
    if (typeof said === "string") {
      if (fixed.test(field)) return said;
      const cleaned = longestFirst.reduce(
        (rest, secret) => rest.replaceAll(secret, () => redactedText),
        said,
      );
      found ||= cleaned !== said;
      return cleaned;
    }
    if (typeof said !== "object" || said === null) return said;
    if (Array.isArray(said)) return said.map((item) => clean(item, field));
    return Object.fromEntries(Object.entries(said).map(([key, item]) => [key, clean(item, key)]));
  };
  const cleaned = clean(value, "");
  return found ? cleaned : undefined;
}
