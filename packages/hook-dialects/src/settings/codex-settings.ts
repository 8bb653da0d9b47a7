import { Entry, EntryProblem, type SettingsReading } from "./entry.ts";
import { eventTable, matcherProblem } from "./event-table.ts";
import { readGrouped, type GroupedFormat, type Handler, type Unsupported } from "./grouped-settings.ts";

const DEFAULT_TIMEOUT_MS = 600_000;

const FORMAT: GroupedFormat = {
  dialect: "codex",
  events: eventTable({
    pre: ["PreToolUse"],
    post: ["PostToolUse"],
    guards: ["PermissionRequest", "UserPromptSubmit", "Stop", "SubagentStop", "PreCompact"],
    tells: ["SessionStart", "SessionEnd", "SubagentStart", "PostCompact", "Notification"],
  }),
  groupKeys: ["description"],
  matcherProblem,
  handler: readHandler,
};

/** Reads a hooks.json of Codex. @throws EntryProblem. */
export function readCodexSettings(document: Entry): SettingsReading {
  return readGrouped(document, FORMAT);
}

function readHandler(entry: Entry): Handler | Unsupported {
  const type = entry.text("type");
  if (type !== "command")
    return { why: `a handler of the type ${JSON.stringify(type ?? null)} is no program` };
  entry.ignore("statusMessage", "visibilityHint", "command_windows");
  const command = entry.text("command");
  if (command === undefined || command.trim() === "")
    throw new EntryProblem(entry.pointer, "a handler needs a 'command'");
  const timeoutMs = entry.durationMs("timeout", 1000) ?? DEFAULT_TIMEOUT_MS;
  const isAsync = entry.flag("async");
  return { command, timeoutMs, onFailure: undefined, condition: undefined, isAsync, env: {} };
}
