/** Limits of `visibleText`. */
export interface VisibleTextOptions {
  /** Most characters shown of the escaped text. Default 2,000. */
  readonly maxChars?: number | undefined;
  /** Line feeds stay as they are. Default false: they are escaped too. */
  readonly multiline?: boolean | undefined;
}

/** Control, format, unassigned, private and surrogate code points, line and paragraph separators, every blank but the space. */
const HIDDEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
const LONG_BLANK = / {9,}/g;

/**
 * Untrusted text in a form that shows what it holds: control, bidirectional, invisible and blank look-alike characters
 * appear as `\u{…}`, long runs of spaces as their count, and a cut says how much it hides.
 * Used by approval and hooks for everything a person decides upon.
 */
export function visibleText(text: string, options: VisibleTextOptions = {}): string {
  const { maxChars = 2000, multiline = false } = options;
  const shown: string[] = [];
  let length = 0;
  let hidden = 0;
  for (const char of text.replace(LONG_BLANK, (run) => `[${run.length} spaces]`)) {
    const piece = escapeChar(char, multiline);
    if (hidden > 0 || length + piece.length > maxChars) hidden += 1;
    else {
      shown.push(piece);
      length += piece.length;
    }
  }
  return hidden === 0 ? shown.join("") : `${shown.join("")}… [${hidden} more characters not shown]`;
}

function escapeChar(char: string, multiline: boolean): string {
  if (char === " " || (multiline && char === "\n") || !HIDDEN.test(char)) return char;
  return `\\u{${char.codePointAt(0)!.toString(16)}}`;
}
