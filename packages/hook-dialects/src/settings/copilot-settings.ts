import type { Entry, SettingsReading } from "./entry.ts";
import { eventTable } from "./event-table.ts";
import { readFlat, type FlatFormat } from "./flat-settings.ts";
import { PLATFORMS, type Platform } from "./platform.ts";
import { readPlace } from "./read-place.ts";

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
      "notification",
    ],
  }),
  handler(entry, platform) {
    const type = entry.text("type") ?? "command";
    if (type !== "command") return { why: `a handler of the type '${type}' is no program` };
    entry.ignore("powershell", "comment");
    const { command, ...others } = chooseLine(entry, platform);
    if (command === undefined || command.trim() === "") return { why: "it has no line for bash" };
    const timeouts = [entry.durationMs("timeoutSec", 1000), entry.durationMs("timeout", 1000)];
    return {
      command,
      ...others,
      timeoutMs: timeouts.find((each) => each !== undefined) ?? DEFAULT_TIMEOUT_MS,
      onFailure: undefined,
      condition: undefined,
      isAsync: false,
      env: entry.variables("env"),
      ...readPlace(entry, "cwd"),
    };
  },
};

/** VS Code's line for the system stands over the others; on Windows it is not for bash. */
function chooseLine(
  entry: Entry,
  platform: Platform,
): { readonly command: string | undefined; readonly otherLines?: Readonly<Record<string, string>> } {
  const lines = new Map([...PLATFORMS, "bash", "command"].map((name) => [name, entry.text(name)] as const));
  const chosen = [platform, "bash", "command"].find((name) => lines.get(name) !== undefined) ?? "command";
  const others = [...lines].filter(([name, line]) => name !== chosen && line !== undefined);
  const command = chosen === "windows" ? undefined : lines.get(chosen);
  const isPlatformOf = ([name]: readonly [string, unknown]): boolean =>
    PLATFORMS.some((each) => each === name);
  if (chosen !== platform && !others.some(isPlatformOf)) return { command };
  return { command, otherLines: Object.freeze(Object.fromEntries(others) as Record<string, string>) };
}

/** Reads a hooks file of Copilot. @throws EntryProblem. */
export function readCopilotSettings(document: Entry, platform: Platform): SettingsReading {
  return readFlat(document, FORMAT, platform);
}
