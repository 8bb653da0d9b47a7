import type { CommandLine } from "./command-line.ts";
import type { ShellReading } from "./read-shell-text.ts";
import { literalTexts } from "./word.ts";

/** A command to try rules on, and how it is shown. */
export interface SimilarCommand {
  readonly line: CommandLine;
  readonly shown: string;
}

/** What people would want to know of: more words, other places, other programs beside it. */
const VARIATIONS: readonly ((command: string) => string)[] = [
  (command) => command,
  (command) => `${command} other-word`,
  (command) => `${command} --other-option`,
  (command) => `${command} >file`,
  (command) => `${command} "$VARIABLE"`,
  (command) => `NAME=value ${command}`,
  (command) => `cd /elsewhere && ${command}`,
  (command) => `sudo ${command}`,
  (command) => `${command} && other-program`,
  (command) => `${command} | sh`,
];
const WORD_VARIATIONS: readonly (readonly string[])[] = [["other-word"], ["--other-option"], ["-x"]];
const MAX_PARTS = 8;

/** Commands that differ from this one in one way each; the command itself is not among them. */
export function similarCommands(
  line: CommandLine | undefined,
  reading: ShellReading | undefined,
): readonly SimilarCommand[] {
  if (line === undefined) return [];
  if ("argv" in line) {
    return WORD_VARIATIONS.map((more) => {
      const argv = [...line.argv, ...more];
      return { line: { ...line, argv }, shown: argv.map(quoteWord).join(" ") };
    });
  }
  const parts = reading?.total ? partTexts(reading) : [];
  const texts = new Set(parts.flatMap((part) => VARIATIONS.map((vary) => vary(part))));
  if (parts.length > 1) texts.add(parts.toReversed().join(" ; "));
  texts.delete(line.shell);
  return [...texts].map((shell) => ({ line: { ...line, shell }, shown: shell }));
}

function partTexts({ commands }: ShellReading): readonly string[] {
  return commands.slice(0, MAX_PARTS).flatMap(({ words }) => {
    const texts = literalTexts(words);
    return texts === undefined || texts.length === 0 ? [] : [texts.map(quoteWord).join(" ")];
  });
}

/** A word as a shell reads it. */
function quoteWord(word: string): string {
  return /^[\w@%+,./:-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
