const MAX_LENGTH = 2000;

/** What an error says, as a text that every store can keep: well-formed, without NUL, at most 2,000 units. */
export function failureText(error: unknown): string {
  return saidBy(error)
    .slice(0, MAX_LENGTH)
    .replaceAll(/\p{Surrogate}|\0/gu, "\ufffd");
}

/** What is thrown may be anything, also what has no text. */
function saidBy(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "it failed with something that has no text";
  }
}
