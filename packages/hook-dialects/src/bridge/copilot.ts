import type { JsonObject } from "@basis/core";
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
import {
  asObject,
  asText,
  fellByExit,
  fellByText,
  hidesVerdict,
  reasonOf,
  wholeObject,
} from "./verdict-text.ts";

/** GitHub Copilot. Source: hook-dialects.md 2.5. */
export const copilot: Dialect = {
  name: "copilot",
  tools: {
    kinds: { shell: "bash", read: "view", write: "create", edit: "edit", search: "grep", list: "view" },
    fields: {
      read: { file_path: "path" },
      write: { file_path: "path", content: "file_text" },
      edit: { file_path: "path", old_string: "old_str", new_string: "new_str" },
    },
    serverTool: (server, tool) => `${server}-${tool}`,
  },
  matches: ({ matcher = "" }, { names }) => ["", "*"].includes(matcher) || matchesExpression(matcher, names),
  stdin: (hook, call, session) =>
    isCamel(hook.event)
      ? camelStdin(call, session.sessionId)
      : snakeStdin(hook.event, call, session.sessionId),
  env: (): Record<string, string> => ({}),
  decode: decodeCopilot,
  differences: differences(),
};

/** The spelling of an event's name chooses that of its fields. */
function isCamel(event: string): boolean {
  return /^[a-z]/.test(event);
}

function camelStdin({ toolName, input, now, cwd, result }: DialectCall, sessionId: string): JsonObject {
  const toolArgs = typeof input === "string" ? input : JSON.stringify(input);
  const base = { sessionId, timestamp: now, cwd, toolName, toolArgs };
  if (result === undefined) return base;
  const textResultForLlm = typeof result.output === "string" ? result.output : JSON.stringify(result.output);
  return { ...base, toolResult: { resultType: result.isError ? "failure" : "success", textResultForLlm } };
}

function snakeStdin(event: string, call: DialectCall, sessionId: string): JsonObject {
  return {
    session_id: sessionId,
    timestamp: new Date(call.now).toISOString(),
    cwd: call.cwd,
    hook_event_name: event,
    tool_name: call.toolName,
    tool_input: call.input,
    tool_use_id: call.toolCallId,
    ...(call.result && { tool_response: call.result.output }),
  };
}

function decodeCopilot({ event }: Pick<DialectHook, "event">, ended: Ended, parse: ParseJson): Decoded {
  const isPre = event.toLowerCase() === "pretooluse";
  const { exitCode, stdout } = ended;
  if (exitCode === 2) return objection(isPre, reasonOf(ended, parse));
  if (exitCode !== 0) return fellByExit(exitCode, isPre ? codeVerdict(exitCode) : undefined);
  const text = stdout.trim();
  const answer = wholeObject(text, parse);
  if (answer !== undefined) {
    const flat = { ...answer, ...asObject(answer["hookSpecificOutput"]) };
    return isPre ? decidePre(flat) : decidePost(flat);
  }
  if (text.startsWith("{")) return fellByText("it is not one JSON object");
  return hidesVerdict(text, parse)
    ? fellByText("its decision is not all that it printed")
    : { kind: "allow" };
}

/** GitHub's guidance says that every other code blocks a call as well, its reference says nothing: the stricter counts. */
function codeVerdict(exitCode: number | null): Said | undefined {
  return exitCode === null ? undefined : { kind: "deny", reason: `it exited with code ${exitCode}` };
}

function objection(isPre: boolean, reason: string | undefined): Said {
  if (isPre) return { kind: "deny", reason };
  return reason === undefined ? { kind: "allow" } : { kind: "feedback", text: reason, blocks: true };
}

function decidePre(answer: JsonObject): Decoded {
  const reason =
    asText(answer["permissionDecisionReason"]) ?? asText(answer["reason"]) ?? asText(answer["stopReason"]);
  const { permissionDecision: decision } = answer;
  const isBlocked = answer["decision"] === "block" || answer["continue"] === false;
  if (decision === "deny" || isBlocked) return { kind: "deny", reason };
  return admit(answer, reason);
}

/** What is no denial, with the arguments that it changed. */
function admit(answer: JsonObject, reason: string | undefined): Decoded {
  const { permissionDecision: decision } = answer;
  const updated = answer["modifiedArgs"] ?? answer["updatedInput"];
  const input = asObject(updated);
  if (updated !== undefined && input === undefined)
    return fellByText("the arguments it changed are no object");
  if (decision === "ask") return { kind: "ask", reason, input };
  if (decision !== undefined && decision !== "allow") return fellByText("unknown decision");
  return input === undefined ? { kind: "allow", reason } : { kind: "modify", input, merge: false, reason };
}

function decidePost(answer: JsonObject): Said {
  const reason = asText(answer["reason"]);
  if (answer["decision"] === "block")
    return { kind: "feedback", text: reason ?? "a hook objects to this result", blocks: true };
  const result = answer["modifiedResult"];
  if (result !== undefined)
    return { kind: "replace", output: asObject(result)?.["textResultForLlm"] ?? result };
  const context = asText(answer["additionalContext"]);
  return context === undefined
    ? { kind: "allow", reason }
    : { kind: "feedback", text: context, blocks: false };
}

function differences(): readonly Difference[] {
  const row = (when: string, exitCode: number | null, stdout: string): Difference => {
    const event = exitCode === 1 ? "postToolUse" : "preToolUse";
    const example = { event, exitCode, stdout, stderr: "" };
    return { dialect: "copilot", when, vendor: "allows", hardened: "denies", example };
  };
  return [
    row("a hook exits after a call with a code other than 0 and 2", 1, ""),
    row("a signal ends it", null, ""),
    row("it prints half a JSON object", 0, '{"permissionDecision":"de'),
    row("a log line stands before its decision", 0, 'checking\n{"permissionDecision":"deny"}'),
    row("it denies in Gemini's words", 0, '{"decision":"deny"}'),
    row("its decision is a word that Copilot does not know", 0, '{"permissionDecision":"reject"}'),
    {
      dialect: "copilot",
      when: "it does not answer before its timeout",
      vendor: "allows",
      hardened: "denies",
    },
  ];
}
