import type { JsonObject, JsonValue } from "@basis/core";
import { commandOf } from "./claude.ts";
import type { Decoded, Dialect, DialectCall, DialectHook, Difference, Ended, Said } from "./dialect.ts";
import { asObject, asText, fellByExit } from "./verdict-text.ts";

/** Windsurf's Cascade. Source: docs.windsurf.com/windsurf/cascade/hooks. */
export const windsurf: Dialect = {
  name: "windsurf",
  tools: { kinds: {}, serverTool: (server, tool) => `${server}:${tool}` },
  matches: ({ event }, call) => SUBJECTS.get(event)?.(call) ?? false,
  stdin: ({ event }, call, session) => ({
    agent_action_name: event,
    trajectory_id: session.sessionId,
    execution_id: session.turnId ?? session.sessionId,
    timestamp: new Date(call.now).toISOString(),
    tool_info: infoOf(event, call),
  }),
  env: (): Record<string, string> => ({}),
  decode: decodeWindsurf,
  differences: differences(),
};

/** What each event is about; the later ones tell of what went well. */
const SUBJECTS: ReadonlyMap<string, (call: DialectCall) => boolean> = new Map([
  ["pre_read_code", isRead],
  ["post_read_code", (call) => isRead(call) && wentWell(call)],
  ["pre_write_code", isWrite],
  ["post_write_code", (call) => isWrite(call) && wentWell(call)],
  ["pre_run_command", isCommand],
  ["post_run_command", (call) => isCommand(call) && wentWell(call)],
  ["pre_mcp_tool_use", ({ kind }) => kind === "server"],
  ["post_mcp_tool_use", (call) => call.kind === "server" && wentWell(call)],
]);

/** Directories count as read as well. */
function isRead({ kind }: DialectCall): boolean {
  return kind === "read" || kind === "list";
}

function isWrite({ kind }: DialectCall): boolean {
  return kind === "write" || kind === "edit";
}

/** A tool that nobody gave an alias may run commands as well, when its input has one. */
function isCommand(call: DialectCall): boolean {
  return call.kind === "shell" || (call.kind === undefined && commandOf(call) !== undefined);
}

function wentWell({ result }: DialectCall): boolean {
  return result?.isError === false;
}

function infoOf(event: string, call: DialectCall): JsonObject {
  if (event.endsWith("run_command")) return { command_line: commandOf(call) ?? "", cwd: call.cwd };
  if (event.endsWith("mcp_tool_use")) return serverInfo(call);
  const fields = asObject(call.input) ?? {};
  const file = { file_path: fields["file_path"] ?? fields["path"] ?? call.cwd };
  if (event.endsWith("read_code")) return file;
  const { old_string = "", new_string = fields["content"] ?? "" } = fields;
  return { ...file, edits: [{ old_string, new_string }] };
}

function serverInfo({ server, input, result }: DialectCall): JsonObject {
  return {
    mcp_server_name: server?.name ?? "",
    mcp_tool_name: server?.tool ?? "",
    mcp_tool_arguments: input,
    ...(result && { mcp_result: textOf(result.output) }),
  };
}

function textOf(output: JsonValue): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}

/** The exit code alone decides: 2 objects, and what is printed to standard output is shown to a person at most. */
function decodeWindsurf(
  { event }: Pick<DialectHook, "event">,
  { exitCode, stderr }: Pick<Ended, "exitCode" | "stderr">,
): Decoded {
  if (exitCode === 2) return objection(event, asText(stderr)?.trim());
  return exitCode === 0 ? { kind: "allow" } : fellByExit(exitCode);
}

function objection(event: string, reason: string | undefined): Said {
  if (event.startsWith("pre_")) return { kind: "deny", reason };
  return reason === undefined ? { kind: "allow" } : { kind: "feedback", text: reason, blocks: true };
}

function differences(): readonly Difference[] {
  const row = (when: string, exitCode: number | null, stdout: string): Difference => {
    const example = { event: "pre_run_command", exitCode, stdout, stderr: "" };
    return { dialect: "windsurf", when, vendor: "allows", hardened: "denies", example };
  };
  return [
    row("a hook exits with a code other than 0 and 2", 1, ""),
    row("a signal ends it", null, ""),
    row("it prints a denial in another tool's words and exits with 0", 0, '{"decision":"deny"}'),
    {
      ...row("it prints in another tool's words that a person is to be asked", 0, '{"permission":"ask"}'),
      hardened: "asks",
    },
    {
      dialect: "windsurf",
      when: "it does not answer within 60 s, of which Windsurf's documentation says nothing",
      vendor: "allows",
      hardened: "denies",
    },
  ];
}
