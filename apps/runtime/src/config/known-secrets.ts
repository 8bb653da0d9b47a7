import type { JsonValue } from "@basis/core";
import type { Environment } from "./data-dir.ts";

/** Shorter values are words and numbers that stand everywhere. */
const MIN_LENGTH = 8;
/** The names of variables that hold a secret. */
export const SECRET_NAME: RegExp = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** Takes secrets out of what is written down. */
export interface Redaction {
  /** A text without them; each is replaced by `[redacted NAME]`. */
  text(text: string): string;
  /** The same for every text of a JSON value, names of members included. */
  json<Value extends JsonValue>(value: Value): Value;
}

/**
 * The values of all variables that are named like a secret, each as it stands, as it stands in JSON and in an address,
 * and in Base64. A value of fewer than 8 characters is none.
 */
export function knownSecrets(env: Environment): Redaction {
  const forms = Object.entries(env).flatMap(([name, value = ""]) =>
    SECRET_NAME.test(name) && value.length >= MIN_LENGTH
      ? formsOf(value).map((form) => [form, `[redacted ${name}]`] as const)
      : [],
  );
  // The longest first: one secret may be the beginning of another.
  const ordered = forms.toSorted(([left], [right]) => right.length - left.length);
  const text = (given: string): string =>
    ordered.reduce((left, [form, mark]) => left.replaceAll(form, mark), given);
  const json = <Value extends JsonValue>(value: Value): Value =>
    ordered.length === 0 ? value : (mapTexts(value, text) as Value);
  return { text, json };
}

function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), base64])];
}

/** The value with every text in it changed, names of members included. */
export function mapTexts(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => mapTexts(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [change(name), mapTexts(member, change)]),
  );
}
