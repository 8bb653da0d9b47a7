/** Controls but line feed and tab, whatever changes the direction of text, and characters that show nothing. */
const UNSEEN =
  /[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\u{e0000}-\u{e007f}]|[^\P{Cc}\n\t]|\p{Cs}/gu;

/** Text as a page may show it: what would not be seen, or would move what is, stands there as its code point. */
export function visibleText(text: string): string {
  return text.replaceAll(UNSEEN, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);
}
