const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/** Control characters but line feed and tab, and whatever changes the direction of text or ends a line of script. */
const UNSEEN = /[\p{Bidi_Control}\u2028\u2029]|[^\P{Cc}\n\t]/gu;

/**
 * Text that a page shows as it is, in an element or in a quoted attribute. Control characters, U+2028 and U+2029, and
 * whatever changes the direction of text are shown as their code points.
 */
export function escapeHtml(text: string): string {
  return text
    .replaceAll(UNSEEN, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`)
    .replaceAll(/[&<>"']/g, (char) => entities.get(char)!);
}
