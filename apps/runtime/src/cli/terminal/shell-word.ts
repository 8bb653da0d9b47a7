import { visibleText } from "@basis/approval";

/** A word as it can be pasted into a shell: bare where that is safe, else quoted, with what steers a terminal escaped. */
export function shellWord(word: string): string {
  if (/^[\w./@:+,][\w./@:+,=-]*$/.test(word)) return word;
  return `'${visibleText(word).replaceAll("'", "'\\''")}'`;
}
