import { transparentWords } from "./carrier.ts";
import { isGit, programName } from "./program-facts.ts";
import type { SimpleCommand } from "./word.ts";

/** Programs that write no files, with the words that a rule lets them have. */
const READERS = new Set(
  (
    "cat echo printf ls head tail wc grep egrep fgrep rg sort uniq cut tr true false : pwd test [ sleep date basename " +
    "dirname realpath readlink stat du df diff cmp comm nl rev tac column jq seq id whoami uname fold paste file"
  ).split(" "),
);

/** True unless a part of a command is git itself, or known to write no files: what it starts, or its redirections, may. */
export function mayWrite({ words, redirections }: SimpleCommand): boolean {
  if (redirections.some(({ operator, target }) => operator.endsWith(">") && target.text !== "/dev/null"))
    return true;
  const [program] = words.slice(transparentWords(words));
  if (program === undefined) return false;
  return !isGit(program.text) && !READERS.has(programName(program.text));
}
