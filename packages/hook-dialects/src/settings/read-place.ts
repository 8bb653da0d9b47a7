import { childPointer } from "@basis/core";
import { EntryProblem, type Entry } from "./entry.ts";

/** The directory that an entry names for its program. @throws EntryProblem for one that leaves the workspace. */
export function readPlace(entry: Entry, key: string): { readonly cwd?: string } {
  const cwd = entry.text(key);
  if (cwd === undefined) return {};
  if (/^([/\\~]|[A-Za-z]:)/.test(cwd) || cwd.split(/[/\\]/).includes(".."))
    throw new EntryProblem(childPointer(entry.pointer, key), `'${key}' must stay inside the workspace`);
  return { cwd };
}
