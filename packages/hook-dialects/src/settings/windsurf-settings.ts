import { Entry, EntryProblem, type SettingsReading } from "./entry.ts";
import { eventTable } from "./event-table.ts";
import { readFlat, type FlatFormat } from "./flat-settings.ts";
import { readPlace } from "./read-place.ts";

/** Windsurf's settings name none, and its documentation tells of none. */
const TIMEOUT_MS = 60_000;

const FORMAT: FlatFormat = {
  dialect: "windsurf",
  matches: false,
  events: eventTable({
    pre: ["pre_read_code", "pre_write_code", "pre_run_command", "pre_mcp_tool_use"],
    post: ["post_read_code", "post_write_code", "post_run_command", "post_mcp_tool_use"],
    guards: ["pre_user_prompt"],
    tells: ["post_cascade_response", "post_cascade_response_with_transcript", "post_setup_worktree"],
  }),
  handler(entry) {
    entry.ignore("show_output", "powershell");
    const command = entry.text("command");
    if (command === undefined && entry.has("powershell")) return { why: "it has no line for bash" };
    if (command === undefined || command.trim() === "")
      throw new EntryProblem(entry.pointer, "a handler needs a 'command'");
    return {
      command,
      timeoutMs: TIMEOUT_MS,
      onFailure: undefined,
      condition: undefined,
      isAsync: false,
      env: {},
      ...readPlace(entry, "working_directory"),
    };
  },
};

/** Reads a hooks.json of Windsurf. @throws EntryProblem. */
export function readWindsurfSettings(document: Entry): SettingsReading {
  return readFlat(document, FORMAT);
}
