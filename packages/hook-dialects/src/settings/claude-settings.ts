import { Entry, EntryProblem, type EventTable, type SettingsReading } from "./entry.ts";
import { eventTable, matcherProblem } from "./event-table.ts";
import { readGrouped, type GroupedFormat, type Handler, type Unsupported } from "./grouped-settings.ts";

/** Claude waits ten minutes for a command. */
const DEFAULT_TIMEOUT_MS = 600_000;

const GUARDS: readonly string[] = [
  "PostToolBatch",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "Stop",
  "SubagentStop",
  "PreCompact",
  "PreModelSwitch",
  "PermissionRequest",
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "Elicitation",
  "ElicitationResult",
  "ConfigChange",
  "WorktreeCreate",
  "PreSkillShellCommand",
];

const TELLS: readonly string[] = [
  "Notification",
  "SessionStart",
  "SessionEnd",
  "StopFailure",
  "SubagentStart",
  "PostCompact",
  "PostModelSwitch",
  "PermissionDenied",
  "Setup",
  "WorktreeRemove",
  "InstructionsLoaded",
  "CwdChanged",
  "FileChanged",
  "DirectoryAdded",
  "MessageDisplay",
];

const EVENTS: EventTable = eventTable({
  pre: ["PreToolUse"],
  post: ["PostToolUse", "PostToolUseFailure"],
  guards: GUARDS,
  tells: TELLS,
});

const FORMAT: GroupedFormat = {
  dialect: "claude",
  events: EVENTS,
  groupKeys: ["description"],
  matcherProblem,
  handler: readHandler,
};

/** Reads settings of Claude Code, or a plugin's hooks.json. @throws EntryProblem. */
export function readClaudeSettings(document: Entry): SettingsReading {
  const reading = readGrouped(document, FORMAT);
  // `allowManagedHooksOnly` turns off the hooks of other files than the one that may say so.
  if (!document.flag("disableAllHooks")) return reading;
  const why = "'disableAllHooks' is set";
  const leftOut = reading.hooks.map(({ pointer, event }) => ({ pointer, event, why }));
  return { hooks: [], leftOut: [...reading.leftOut, ...leftOut, ...reading.refused], refused: [] };
}

function readHandler(entry: Entry): Handler | Unsupported {
  const type = entry.text("type");
  if (type !== "command")
    return { why: `a handler of the type ${JSON.stringify(type ?? null)} is no program` };
  entry.ignore("statusMessage", "once", "rewakeMessage", "rewakeSummary");
  const command = entry.text("command");
  if (command === undefined || command.trim() === "" || command.includes("\0"))
    throw new EntryProblem(entry.pointer, "a handler needs a 'command'");
  const args = entry.texts("args");
  const shell = entry.text("shell") ?? "bash";
  if (shell !== "bash") return { why: `a line for the shell '${shell}' is not run` };
  const onFailure = failureWord(entry);
  return {
    command: args === undefined ? command : [command, ...args],
    timeoutMs: entry.durationMs("timeout", 1000) ?? DEFAULT_TIMEOUT_MS,
    onFailure,
    condition: entry.text("if"),
    isAsync: [entry.flag("async"), entry.flag("asyncRewake")].includes(true),
    env: {},
  };
}

/** A word that Claude does not know reads as `block` there, too. */
function failureWord(entry: Entry): "deny" | "allow" | undefined {
  const word = entry.text("onFailure");
  if (word === undefined) return undefined;
  return word === "continue" ? "allow" : "deny";
}
