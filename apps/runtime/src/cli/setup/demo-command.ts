import { runDemo } from "../../demo/run-demo.ts";
import { defineCommand, type Command } from "../arguments/command.ts";
import { exitCode, UsageError } from "../terminal/exit-code.ts";
import { flag } from "../arguments/option.ts";

/** `basis demo`. */
export const demoCommand: Command = defineCommand({
  name: "demo",
  about: "See everything at work on a copy of this folder, without a key.",
  more: [
    "Only the model's words are scripted. Tools, hooks as processes, the child's policy, the schema check, the SQLite store and the forks are real. It works on a temporary copy with a data directory of its own, and removes both; this folder is not changed.",
  ],
  options: {
    json: flag("the event log on standard output, one event a line"),
    crash: flag("instead: a process is killed with -9 in the middle of a call, and another goes on"),
    open: flag("show it in the console, in a browser, until Ctrl-C"),
  },
  examples: [
    ["basis demo", "a story in chapters"],
    ["basis demo --open", "the same on a page on which everything explains itself"],
    ["basis demo --crash", "what is left of a killed process, and what becomes of it"],
    ["basis demo --json | jq -r .type | sort | uniq -c", "which events there were"],
  ],
  async run({ options: { json = false, open = false, crash = false } }, { directory, env, interrupt }) {
    const { signal } = interrupt;
    if (crash && open)
      throw new UsageError(["--crash is told here: leave out --open", "see: basis demo --help"]);
    if (crash && (await (await import("../../demo/crash-chapter.ts")).playCrash(env, signal)))
      return exitCode.ok;
    return runDemo({ directory, env, json, open, crash, signal });
  },
});
