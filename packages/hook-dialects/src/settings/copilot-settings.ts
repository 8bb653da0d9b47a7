import { Entry, EntryProblem, type SettingsReading } from "./entry.ts";
import { eventTable } from "./event-table.ts";
import { readFlat, type FlatFormat } from "./flat-settings.ts";

const DEFAULT_TIMEOUT_MS = 30_000;

const FORMAT: FlatFormat = {
  dialect: "copilot",
  events: eventTable({
    pre: ["preToolUse", "PreToolUse"],
    post: ["postToolUse", "PostToolUse"],
    guards:
      "userPromptSubmitted UserPromptSubmit agentStop Stop subagentStop SubagentStop preCompact PreCompact".split(
        " ",
      ),
    tells: [
      "sessionStart",
      "SessionStart",
      "sessionEnd",
      "SessionEnd",
      "subagentStart",
      "SubagentStart",
      "errorOccurred",
    ],
  }),
  handler(entry) {
    const type = entry.text("type") ?? "command";
    if (type !== "command") return { why: `a handler of the type '${type}' is no program` };
    entry.ignore("powershell", "windows", "comment");
    const command = entry.text("bash") ?? entry.text("command");
    entry.ignore("command");
    if (command === undefined || command.trim() === "") return { why: "it has no line for bash" };
    const cwd = entry.text("cwd");
    if (cwd !== undefined && (/^([/\\]|[A-Za-z]:)/.test(cwd) || cwd.split(/[/\\]/).includes("..")))
      throw new EntryProblem(`${entry.pointer}/cwd`, "'cwd' must stay inside the workspace");
    const timeouts = [entry.durationMs("timeoutSec", 1000), entry.durationMs("timeout", 1000)];
    const timeoutMs = timeouts.find((each) => each !== undefined) ?? DEFAULT_TIMEOUT_MS;
    const env = entry.variables("env");
    const run = { command, timeoutMs, onFailure: undefined, condition: undefined, isAsync: false, env };
    return cwd === undefined ? run : { ...run, cwd };
  },
};

/** Reads a hooks file of Copilot. @throws EntryProblem. */
export function readCopilotSettings(document: Entry): SettingsReading {
  return readFlat(document, FORMAT);
}
