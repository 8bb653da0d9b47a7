import type { JsonObject } from "@basis/core";
import { commandOf } from "./claude.ts";
import type {
  Decoded,
  Dialect,
  DialectCall,
  DialectHook,
  Difference,
  Ended,
  ParseJson,
  Said,
} from "./dialect.ts";
import { matchesExpression } from "./matcher.ts";
import { asObject, asText, fell, fellByExit, fellByText, hidesVerdict, wholeObject } from "./verdict-text.ts";

/** Cursor. Source: hook-dialects.md 2.4. */
export const cursor: Dialect = {
  name: "cursor",
  tools: {
    kinds: { shell: "Shell", read: "Read", write: "Write", edit: "Write", search: "Grep", agent: "Task" },
    serverTool: (_server, tool) => `MCP:${tool}`,
  },
  matches: ({ event, matcher = "" }, call) => {
    if (SUBJECTS.get(event)?.(call) === false) return false;
    if (["", "*"].includes(matcher)) return true;
    const command = event.endsWith("ShellExecution") ? commandOf(call) : undefined;
    return matchesExpression(matcher, command === undefined ? call.names : [command]);
  },
  stdin: (hook, call, session) => ({
    conversation_id: session.sessionId,
    generation_id: session.turnId ?? session.sessionId,
    model: session.model ?? "",
    hook_event_name: hook.event,
    cursor_version: "",
    workspace_roots: [call.cwd],
    user_email: null,
    transcript_path: session.transcriptPath === "" ? null : session.transcriptPath,
    session_id: session.sessionId,
    ...fieldsOf(hook.event, call),
  }),
  env: ({ workspace, pluginRoot }) => ({
    CURSOR_PROJECT_DIR: workspace,
    CLAUDE_PROJECT_DIR: workspace,
    ...(pluginRoot !== undefined && { CURSOR_PLUGIN_ROOT: pluginRoot }),
  }),
  decode: decodeCursor,
  differences: differences(),
};

/** What an event is about beside its name: a kind of tool, or how the call went. */
const SUBJECTS: ReadonlyMap<string, (call: DialectCall) => boolean> = new Map([
  ["beforeShellExecution", isCommand],
  ["afterShellExecution", isCommand],
  ["beforeMCPExecution", ({ kind }) => kind === "server"],
  ["afterMCPExecution", ({ kind }) => kind === "server"],
  ["afterFileEdit", ({ kind, result }) => (kind === "write" || kind === "edit") && result?.isError === false],
  ["postToolUse", ({ result }) => result?.isError === false],
  ["postToolUseFailure", ({ result }) => result?.isError === true],
]);

/** A tool that nobody gave an alias may run commands as well, when its input has one. */
function isCommand(call: DialectCall): boolean {
  return call.kind === "shell" || (call.kind === undefined && commandOf(call) !== undefined);
}

function fieldsOf(event: string, call: DialectCall): JsonObject {
  const { toolName, input, toolCallId, cwd, result } = call;
  const output = result === undefined ? {} : { tool_output: textOf(result.output), duration: 0 };
  if (event.endsWith("ShellExecution")) {
    const ran = result === undefined ? {} : { output: textOf(result.output) };
    return { command: commandOf(call) ?? "", cwd, sandbox: false, ...ran };
  }
  if (event.endsWith("MCPExecution"))
    return { tool_name: toolName.replace(/^MCP:/, ""), tool_input: JSON.stringify(input), ...output };
  if (event === "afterFileEdit") return editOf(asObject(input) ?? {});
  const failed = { error_message: textOf(result?.output ?? "") };
  const after = event === "postToolUseFailure" ? failed : output;
  return { tool_name: toolName, tool_input: input, tool_use_id: toolCallId, cwd, ...after };
}

function editOf(input: JsonObject): JsonObject {
  const { file_path = "", old_string = "", new_string = input["content"] ?? "" } = input;
  return { file_path, edits: [{ old_string, new_string }] };
}

function textOf(output: JsonObject[string]): string {
  return JSON.stringify(output);
}

/** Exit 2 denies; silence is no opinion, unless the entry fails closed. */
function decodeCursor(
  hook: Pick<DialectHook, "event" | "onFailure">,
  ended: Ended,
  parse: ParseJson,
): Decoded {
  const { exitCode, stdout, stderr } = ended;
  const text = stdout.trim();
  if (exitCode === 2) return blockedBy(hook.event, asText(text) ?? asText(stderr)?.trim());
  if (exitCode !== 0) return fellByExit(exitCode);
  if (text === "" && hook.onFailure === "deny") return fell("silent", "printed nothing");
  const answer = wholeObject(text, parse);
  if (answer !== undefined)
    return isBefore(hook.event) ? decideBefore(hook.event, answer) : decideAfter(answer);
  if (text.startsWith("{")) return fellByText("it is not one JSON object");
  return hidesVerdict(text, parse)
    ? fellByText("its decision is not all that it printed")
    : { kind: "allow" };
}

function isBefore(event: string): boolean {
  return event === "preToolUse" || event.startsWith("before");
}

function blockedBy(event: string, reason: string | undefined): Said {
  if (isBefore(event)) return { kind: "deny", reason };
  return reason === undefined ? { kind: "allow" } : { kind: "feedback", text: reason, blocks: true };
}

function decideBefore(event: string, answer: JsonObject): Decoded {
  const reason = [
    answer["user_message"],
    answer["userMessage"],
    answer["agent_message"],
    answer["agentMessage"],
  ]
    .map(asText)
    .find((text) => text !== undefined);
  if (answer["continue"] === false) return { kind: "deny", reason };
  const { permission, updated_input: updated } = answer;
  const input = asObject(updated);
  if (permission === "deny") return { kind: "deny", reason };
  if (updated !== undefined && input === undefined) return fellByText("updated_input is no object");
  const admitted: Said =
    input === undefined ? { kind: "allow", reason } : { kind: "modify", input, merge: true, reason };
  if (permission === "ask") return asked(event, { kind: "ask", reason, input, merge: true }, admitted);
  if (permission !== undefined && permission !== "allow") return fellByText("unknown permission");
  return admitted;
}

/** Cursor takes an ask before every tool and enforces it before commands alone. */
function asked(event: string, ask: Said, admitted: Said): Decoded {
  if (event !== "preToolUse") return ask;
  const message = "asks for a person, which Cursor does not enforce here";
  return { kind: "fell", code: "invalid_answer", message, vendor: admitted, hardened: ask };
}

function decideAfter(answer: JsonObject): Said {
  const output = answer["updated_mcp_tool_output"];
  if (output !== undefined) return { kind: "replace", output };
  const context = asText(answer["additional_context"]);
  return context === undefined ? { kind: "allow" } : { kind: "feedback", text: context, blocks: false };
}

function differences(): readonly Difference[] {
  const row = (when: string, exitCode: number | null, stdout: string): Difference => {
    const example = { event: "preToolUse", exitCode, stdout, stderr: "" };
    return { dialect: "cursor", when, vendor: "allows", hardened: "denies", example };
  };
  return [
    row(
      "a hook exits with a code other than 0 and 2, and its entry does not fail closed",
      1,
      '{"permission":"deny"}',
    ),
    row("a signal ends it", null, ""),
    row("it prints half a JSON object", 0, '{"permission":"de'),
    row("a log line stands before its decision", 0, 'checking\n{"permission":"deny"}'),
    row("its permission is a word that Cursor does not know", 0, '{"permission":"block"}'),
    row("it denies in Claude's words", 0, '{"hookSpecificOutput":{"permissionDecision":"deny"}}'),
    { ...row("it asks for a person before a tool", 0, '{"permission":"ask"}'), hardened: "asks" },
    {
      dialect: "cursor",
      when: "it does not answer before its timeout",
      vendor: "allows",
      hardened: "denies",
    },
  ];
}
