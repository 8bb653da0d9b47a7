import { Entry, EntryProblem, type SettingsReading } from "./entry.ts";
import { eventTable } from "./event-table.ts";
import { readFlat, type FlatFormat } from "./flat-settings.ts";

const DEFAULT_TIMEOUT_MS = 60_000;

const FORMAT: FlatFormat = {
  dialect: "cursor",
  events: eventTable({
    pre: ["preToolUse", "beforeShellExecution", "beforeMCPExecution"],
    post: ["postToolUse", "postToolUseFailure", "afterShellExecution", "afterMCPExecution", "afterFileEdit"],
    // A hook before a read judges the file's content, which nobody has read yet.
    guards: [
      "beforeReadFile",
      "beforeTabFileRead",
      "beforeSubmitPrompt",
      "subagentStart",
      "subagentStop",
      "stop",
      "preCompact",
    ],
    tells: ["sessionStart", "sessionEnd", "afterAgentResponse", "afterAgentThought", "afterTabFileEdit"],
  }),
  handler(entry) {
    const type = entry.text("type") ?? "command";
    if (type !== "command") return { why: `a handler of the type '${type}' is no program` };
    entry.ignore("loop_limit");
    const command = entry.text("command");
    if (command === undefined || command.trim() === "")
      throw new EntryProblem(entry.pointer, "a handler needs a 'command'");
    const timeoutMs = entry.durationMs("timeout", 1000) ?? DEFAULT_TIMEOUT_MS;
    const onFailure = entry.flag("failClosed") ? ("deny" as const) : undefined;
    return { command, timeoutMs, onFailure, condition: undefined, isAsync: false, env: {} };
  },
};

/** Reads a hooks.json of Cursor. @throws EntryProblem. */
export function readCursorSettings(document: Entry): SettingsReading {
  return readFlat(document, FORMAT);
}
