import { pathReadings } from "../path-reading.ts";
import type { ProgramFacts } from "./program-facts.ts";
import type { Word } from "./word.ts";

/** What a program's own input is called as a file, from wherever it stands. */
const INPUT = /^(?:(?:\.\.\/)+|\/)(?:dev\/(?:stdin|fd\/\d+)|proc\/[^/]+(?:\/task\/[^/]+)?\/fd\/\d+)$/;
/** Options of shells and interpreters whose value is a word of its own. */
const TAKES_VALUE =
  /^(?:[-+][A-Za-z]*[oOWXQ]|--(?:rcfile|init-file|check-hash-based-pycs|title|conditions|input-type|dns-result-order|disable-warning|icu-data-dir|unhandled-rejections|max-http-header-size|secure-heap(?:-min)?|trace-event-categories|use-largepages|heapsnapshot-signal))$/;

/** True when a program that runs what it reads may read it from its input: no word names another file. */
export function readsInput(words: readonly Word[], facts: ProgramFacts): boolean {
  if (!facts.readsInput) return false;
  // A shell's `-s` makes its operands arguments of what it reads.
  if (facts.runner && words.some(({ text }, at) => at > 0 && /^[-+][A-Za-z]*s[A-Za-z]*$/.test(text)))
    return true;
  return !namesFile(words, facts) || words.some(isInput);
}

/** True when a word names the file that a program runs: neither an option nor the value of one. */
export function namesFile(words: readonly Word[], { runner }: ProgramFacts): boolean {
  return words.some(({ text }, at) => {
    if (at === 0 || text.startsWith("-") || (runner && text.startsWith("+"))) return false;
    return at === 1 || !TAKES_VALUE.test(words[at - 1]!.text);
  });
}

/** More than one word that is no option, also through a glob. */
export function mayNameTwo(words: readonly Word[]): boolean {
  const files = words.filter(({ text }, at) => at > 0 && !text.startsWith("-"));
  return files.length > 1 || files.some(({ kind }) => kind === "paths");
}

/** True for a file that is, or through a glob may be, the input itself, however its path is written. */
export function isInput({ kind, text }: Word): boolean {
  return kind === "paths" || pathReadings(text).spelled.some((path) => INPUT.test(path));
}
