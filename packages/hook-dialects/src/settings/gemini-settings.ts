import { Entry, EntryProblem, type SettingsReading } from "./entry.ts";
import { eventTable } from "./event-table.ts";
import { readGrouped, type GroupedFormat, type Handler, type Unsupported } from "./grouped-settings.ts";

const DEFAULT_TIMEOUT_MS = 60_000;

const FORMAT: GroupedFormat = {
  dialect: "gemini",
  events: eventTable({
    pre: ["BeforeTool"],
    post: ["AfterTool"],
    guards: ["BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection"],
    tells: ["SessionStart", "SessionEnd", "Notification", "PreCompress"],
  }),
  groupKeys: ["sequential", "description"],
  // What is no expression is a literal name there.
  matcherProblem: () => undefined,
  handler: readHandler,
};

/** Reads settings of Gemini CLI; its timeouts are milliseconds. @throws EntryProblem. */
export function readGeminiSettings(document: Entry): SettingsReading {
  return readGrouped(document, FORMAT);
}

function readHandler(entry: Entry): Handler | Unsupported {
  const type = entry.text("type");
  if (type !== "command")
    return { why: `a handler of the type ${JSON.stringify(type ?? null)} is no program` };
  entry.ignore("name", "description");
  const command = entry.text("command");
  if (command === undefined || command.trim() === "")
    throw new EntryProblem(entry.pointer, "a handler needs a 'command'");
  const timeoutMs = entry.durationMs("timeout", 1) ?? DEFAULT_TIMEOUT_MS;
  const env = entry.variables("env");
  return { command, timeoutMs, onFailure: undefined, condition: undefined, isAsync: false, env };
}
