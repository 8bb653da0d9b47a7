/**
 * A word of a command.
 * - `literal`: the program gets exactly `text`
 * - `paths`: the program gets one or more words, each beginning with `text`, which holds a slash and no leading `-`
 * - `unknown`: only the shell knows how many words and which; `text` means nothing
 */
export interface Word {
  readonly kind: "literal" | "paths" | "unknown";
  readonly text: string;
}

/** A redirection, with the operator as written: `2>`, `<`, `2>&`. */
export interface Redirection {
  readonly operator: string;
  readonly target: Word;
}

/** An assignment before a command, or alone. */
export interface Assignment {
  readonly name: string;
  readonly value: Word;
}

/** One program with its words, or what a shell does without one (`X=1`, `>file`). */
export interface SimpleCommand {
  readonly words: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly redirections: readonly Redirection[];
}

/** A word whose text is known. */
export function literal(text: string): Word {
  return { kind: "literal", text };
}

/** A word that nobody can know. */
export const unknownWord: Word = Object.freeze({ kind: "unknown", text: "" });

/** Words that are all known, as a command of its own. */
export function commandOf(words: readonly Word[]): SimpleCommand {
  return { words, assignments: [], redirections: [] };
}

/** The texts of words, or undefined as soon as one is not literal. */
export function literalTexts(words: readonly Word[]): readonly string[] | undefined {
  return words.every((word) => word.kind === "literal") ? words.map((word) => word.text) : undefined;
}
