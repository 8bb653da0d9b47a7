import { isGit, programName } from "./program-facts.ts";
import type { Word } from "./word.ts";

/** Git's words for sending commits. The repository at the other end runs what its settings name, wherever it lies. */
const SENDERS = new Set(["push", "send-pack", "http-push"]);

/** True when git's words say where commits are sent to, and those that a rule spells do not. */
export function sendsWhereNoRuleSays(words: readonly Word[], spelled: number): boolean {
  if (!isGit(words[0]!.text)) return false;
  const at = words.findIndex((word, place) => SENDERS.has(place === 0 ? ownName(word) : word.text));
  if (at === -1 || (at === 2 && words[1]!.text === "stash")) return false;
  const places = words.flatMap((word, place) => (place > at && !word.text.startsWith("-") ? [place] : []));
  return places.length > 0 && places[0]! >= spelled;
}

/** `git-push` is a program, too. */
function ownName({ text }: Word): string {
  return programName(text).replace(/^git-/, "");
}
