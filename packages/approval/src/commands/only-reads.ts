import { transparentWords } from "./carrier.ts";
import { isReader } from "./known-programs.ts";
import { isGit } from "./program-facts.ts";
import type { SimpleCommand } from "./word.ts";

/** True unless a part of a command is git itself, or known to write no files: what it starts, or its redirections, may. */
export function mayWrite({ words, redirections }: SimpleCommand): boolean {
  if (redirections.some(({ operator, target }) => operator.endsWith(">") && target.text !== "/dev/null"))
    return true;
  const [program] = words.slice(transparentWords(words));
  if (program === undefined) return false;
  return !isGit(program.text) && !isReader(program.text);
}
