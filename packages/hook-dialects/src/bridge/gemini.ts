import type { JsonObject } from "@basis/core";
import type { Decoded, Dialect, DialectHook, Difference, Ended, ParseJson, Said } from "./dialect.ts";
import { matchesExpression } from "./matcher.ts";
import { asObject, asText, fellByExit, fellByText, hidesVerdict, wholeObject } from "./verdict-text.ts";

/** Gemini CLI. Source: hook-dialects.md 2.2, as measured on 0.61.0. */
export const gemini: Dialect = {
  name: "gemini",
  tools: {
    kinds: {
      shell: "run_shell_command",
      read: "read_file",
      write: "write_file",
      edit: "replace",
      search: "search_file_content",
      list: "list_directory",
      fetch: "web_fetch",
    },
    fields: { list: { path: "dir_path" } },
    also: { search: ["grep_search"] },
    serverTool: (server, tool) => `mcp_${server}_${tool}`,
  },
  matches: ({ matcher = "" }, { names }) =>
    ["", "*"].includes(matcher.trim()) || matchesExpression(matcher, names),
  stdin: (hook, call, session) => ({
    session_id: session.sessionId,
    transcript_path: session.transcriptPath,
    cwd: call.cwd,
    hook_event_name: hook.event,
    timestamp: new Date(call.now).toISOString(),
    tool_name: call.toolName,
    tool_input: call.input,
    ...(call.result && { tool_response: responseOf(call.result) }),
  }),
  env: ({ workspace, sessionId }) => ({
    GEMINI_PROJECT_DIR: workspace,
    GEMINI_CWD: workspace,
    GEMINI_SESSION_ID: sessionId,
    CLAUDE_PROJECT_DIR: workspace,
  }),
  decode: decodeGemini,
  differences: differences(),
};

function responseOf({
  output,
  isError,
}: {
  readonly output: JsonObject[string];
  readonly isError: boolean;
}): JsonObject {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  return { llmContent: output, returnDisplay: text, ...(isError && { error: { message: text } }) };
}

/** Gemini reads standard output, else standard error, and its JSON counts whatever the code was. */
function decodeGemini({ event }: Pick<DialectHook, "event">, ended: Ended, parse: ParseJson): Decoded {
  const { exitCode, stdout, stderr } = ended;
  const text = stdout.trim() === "" ? stderr.trim() : stdout.trim();
  const answer = wholeObject(text, parse);
  const decided = answer === undefined ? decideText(text, exitCode ?? 0) : decide(event, answer);
  if (exitCode !== 0) {
    if (decided.kind === "deny") return decided;
    return fellByExit(exitCode, decided.kind === "fell" ? decided.vendor : decided);
  }
  if (answer !== undefined) return decided;
  if (stdout.trim().startsWith("{")) return fellByText("it is not one JSON object");
  return hidesVerdict(stdout, parse) ? fellByText("its decision is not all that it printed") : decided;
}

function decideText(text: string, exitCode: number): Said {
  if (text === "" || exitCode <= 1) return { kind: "allow" };
  return { kind: "deny", reason: text };
}

const KNOWN: readonly unknown[] = [undefined, "allow", "approve", "deny", "block", "ask"];

function decide(event: string, answer: JsonObject): Decoded {
  const specific = asObject(answer["hookSpecificOutput"]) ?? {};
  const reason = asText(answer["reason"]);
  if (answer["continue"] === false) return { kind: "deny", reason: asText(answer["stopReason"]) ?? reason };
  const { decision } = answer;
  if (decision === "deny" || decision === "block") return { kind: "deny", reason };
  const problem = problemOf(decision, specific);
  if (problem !== undefined) return fellByText(problem);
  if (decision === "ask")
    return { kind: "ask", reason, input: asObject(specific["tool_input"]), merge: "hardened" };
  return event === "BeforeTool" ? rewrite(specific, reason) : addition(specific, reason);
}

function problemOf(decision: JsonObject[string] | undefined, specific: JsonObject): string | undefined {
  if (!KNOWN.includes(decision)) return "unknown decision";
  if (specific["permissionDecision"] !== undefined) return "it answers in another tool's words";
  return specific["tailToolCallRequest"] === undefined ? undefined : "it asks for another call";
}

function rewrite(specific: JsonObject, reason: string | undefined): Decoded {
  const given = specific["tool_input"];
  const input = asObject(given);
  if (given !== undefined && input === undefined) return fellByText("tool_input is no object");
  return input === undefined
    ? { kind: "allow", reason }
    : { kind: "modify", input, merge: "hardened", reason };
}

function addition(specific: JsonObject, reason: string | undefined): Said {
  const context = asText(specific["additionalContext"]);
  return context === undefined
    ? { kind: "allow", reason }
    : { kind: "feedback", text: context, blocks: false };
}

function differences(): readonly Difference[] {
  const row = (
    when: string,
    exitCode: number | null,
    [stdout, stderr = ""]: readonly string[],
  ): Difference => {
    const example = { event: "BeforeTool", exitCode, stdout: stdout ?? "", stderr };
    return { dialect: "gemini", when, vendor: "allows", hardened: "denies", example };
  };
  const nested = '{"hookSpecificOutput":{"permissionDecision":"deny"}}';
  return [
    row("a hook exits with 2 and says nothing", 2, []),
    row("it exits with 2 and prints JSON without a decision", 2, ['{"systemMessage":"no"}']),
    row("it exits with 1 and words", 1, ["", "Traceback"]),
    row("it prints an allow and then crashes", 5, ['{"decision":"allow"}']),
    row("a signal ends it, whatever it printed", null, ["checking"]),
    row("a log line stands before its decision", 0, ['checking\n{"decision":"deny"}']),
    row("it denies in Claude's words", 0, [nested]),
    row("its decision is a word that Gemini does not know", 0, ['{"decision":"reject"}']),
    {
      dialect: "gemini",
      when: "it does not answer before its timeout",
      vendor: "allows",
      hardened: "denies",
    },
    {
      dialect: "gemini",
      when: "a rewrite names some fields: the others are lost",
      vendor: "changes",
      hardened: "changes",
    },
  ];
}
