import { transparentWords } from "./carrier.ts";
import { isReader } from "./known-programs.ts";
import { isGit, programFacts, runsSomething } from "./program-facts.ts";
import { mayNameTwo } from "./reads-input.ts";
import type { SimpleCommand } from "./word.ts";

/**
 * True unless a part of a command is git itself, or known to write no files: what it starts, its redirections, or an
 * option of its own (`sort -o`, `git config`) may.
 */
export function mayWrite({ words, redirections }: SimpleCommand): boolean {
  if (redirections.some(({ operator, target }) => operator.endsWith(">") && target.text !== "/dev/null"))
    return true;
  const own = words.slice(transparentWords(words));
  const [program] = own;
  if (program === undefined) return false;
  if (!isGit(program.text) && !isReader(program.text)) return true;
  const facts = programFacts(program.text);
  return (
    (facts.writesSecond && mayNameTwo(own)) ||
    own.some(({ text }, at) => at > 0 && runsSomething(facts, text, at))
  );
}
