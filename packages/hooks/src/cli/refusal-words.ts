import { HookError } from "../hook-error.ts";
import { shellWord } from "./settings-words.ts";
import { quoted } from "./why-left-out.ts";

/** Why a command would not go on, and what to do about it on this command line. */
export function refusalInWords(error: unknown): string {
  if (!HookError.is(error)) return error instanceof Error ? error.message : String(error);
  switch (error.code) {
    case "untrusted_workspace": {
      const { path, workspace, names } = error.details;
      return [
        `${path} is not trusted; its hooks are programs of this repository: ${quoted(names)}`,
        `read that file and what it names, then: basis-hooks trust --workspace ${shellWord(workspace)}`,
        "or run them once without trust: --run-untrusted",
      ].join("\n");
    }
    case "modified_workspace": {
      const { path, workspace, changes } = error.details;
      return [
        `${path} is not what was trusted:`,
        ...changes.map((change) => `  ${change}`),
        `read what changed, then: basis-hooks trust --workspace ${shellWord(workspace)}`,
      ].join("\n");
    }
    case "unpinned_code": {
      const { path, unpinned } = error.details;
      return [
        `${path} has code that cannot be pinned, so that it may change unnoticed:`,
        ...unpinned.map((why) => `  ${why}`),
        "name a program of the system and a script in a file there, or add --allow-unpinned",
      ].join("\n");
    }
    default:
      return error.message;
  }
}
