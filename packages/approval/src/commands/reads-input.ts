import { pathReadings } from "../path-reading.ts";
import type { ProgramFacts } from "./program-facts.ts";
import type { Word } from "./word.ts";

/** What a program's own input is called as a file. */
const INPUT = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/[^/]+(?:\/task\/[^/]+)?\/fd\/\d+)$/;

/** True when a program that runs what it reads may read it from its input: no word names another file. */
export function readsInput(words: readonly Word[], facts: ProgramFacts): boolean {
  if (!facts.readsInput) return false;
  // A shell's `-s` makes its operands arguments of what it reads.
  if (facts.runner && words.some(({ text }, at) => at > 0 && /^[-+][A-Za-z]*s[A-Za-z]*$/.test(text)))
    return true;
  return !words.some(isOperand) || words.some(isInput);
}

/** A word that names a file to run, or that an option takes. */
export function isOperand(word: Word, at: number): boolean {
  return at > 0 && !word.text.startsWith("-");
}

/** True for a file that is the input itself, however its path is written. */
export function isInput({ text }: Word): boolean {
  return text.startsWith("/") && pathReadings(text).spelled.some((path) => INPUT.test(path));
}
