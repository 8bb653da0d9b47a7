const MAX_LENGTH = 2000;

/** What an error says, as a text that every store can keep: well-formed, without NUL, at most 2,000 units. */
export function failureText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, MAX_LENGTH).replaceAll(/\p{Surrogate}|\0/gu, "\ufffd");
}
