import { runDemo } from "../demo/run-demo.ts";
import { defineCommand, type Command } from "./command.ts";
import { flag } from "./option.ts";

/** `basis demo`. */
export const demoCommand: Command = defineCommand({
  name: "demo",
  about: "See everything at work on a copy of this folder, without a key.",
  more: [
    "Only the model's words are scripted. Tools, hooks as processes, the child's policy, the schema check, the SQLite store and the forks are real. It works on a temporary copy with a data directory of its own, and removes both; this folder is not changed.",
  ],
  options: {
    json: flag("the event log on standard output, one event a line"),
    open: flag("show it in the console, in a browser, until Ctrl-C"),
  },
  examples: [
    ["basis demo", "a story in chapters"],
    ["basis demo --open", "the same on a page on which everything explains itself"],
    ["basis demo --json | jq -r .type | sort | uniq -c", "which events there were"],
  ],
  run: ({ options: { json = false, open = false } }, { directory, env, interrupt }) =>
    runDemo({ directory, env, json, open, signal: interrupt.signal }),
});
