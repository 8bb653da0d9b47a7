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
import { matchesClaude, mayMatchRule } from "./matcher.ts";
import {
  asObject,
  asText,
  fell,
  fellByExit,
  fellByText,
  hidesVerdict,
  reasonOf,
  wholeObject,
} from "./verdict-text.ts";

/** Claude Code. Source: hook-dialects.md 2.1. */
export const claude: Dialect = {
  name: "claude",
  tools: {
    kinds: {
      shell: "Bash",
      read: "Read",
      write: "Write",
      edit: "Edit",
      search: "Grep",
      list: "LS",
      fetch: "WebFetch",
      agent: "Task",
    },
    also: { agent: ["Agent"] },
    serverTool: (server, tool) => `mcp__${server}__${tool}`,
  },
  matches: (hook, call) =>
    isOfEvent(hook.event, call) &&
    matchesClaude(hook.matcher, call.names) &&
    (hook.condition === undefined || mayMatchRule(hook.condition, call.names, commandOf(call))),
  stdin: (hook, call, session) => ({
    session_id: session.sessionId,
    transcript_path: session.transcriptPath,
    cwd: call.cwd,
    permission_mode: "default",
    hook_event_name: hook.event,
    ...(call.isChild && { agent_id: call.agentId }),
    tool_name: call.toolName,
    tool_input: call.input,
    ...resultOf(hook, call),
    tool_use_id: call.toolCallId,
  }),
  env: ({ workspace, pluginRoot, sessionId }) => ({
    CLAUDE_PROJECT_DIR: workspace,
    CLAUDE_CODE_SESSION_ID: sessionId,
    ...(pluginRoot !== undefined && { CLAUDE_PLUGIN_ROOT: pluginRoot }),
  }),
  decode: decodeClaude,
  differences: differences(),
};

/** Whether an event is about a call that went as this one did. */
export function isOfEvent(event: string, { result }: DialectCall): boolean {
  if (event === "PostToolUse") return result?.isError === false;
  if (event === "PostToolUseFailure") return result?.isError === true;
  return true;
}

/** The line of a call that runs one. */
export function commandOf({ input }: DialectCall): string | undefined {
  const command = asObject(input)?.["command"];
  return typeof command === "string" ? command : undefined;
}

function resultOf({ event }: DialectHook, { result }: DialectCall): JsonObject {
  if (result === undefined) return {};
  const { output } = result;
  if (event !== "PostToolUseFailure") return { tool_response: output };
  return { error: typeof output === "string" ? output : JSON.stringify(output) };
}

/** Exit 2 beats whatever was printed; every other code but 0 is an error that Claude lets pass. */
function decodeClaude({ event }: Pick<DialectHook, "event">, ended: Ended, parse: ParseJson): Decoded {
  const { exitCode, stdout } = ended;
  if (exitCode === 2) return blocked(event, reasonOf(ended, parse));
  if (exitCode !== 0) return fellByExit(exitCode);
  const text = stdout.trim();
  if (text === "") return { kind: "allow" };
  const answer = wholeObject(text, parse);
  if (answer !== undefined)
    return event === "PreToolUse" ? asClaude(decidePre(answer), answer) : decidePost(event, answer);
  if (text.startsWith("{")) return fellByText("it is not one JSON object");
  return hidesVerdict(text, parse)
    ? fellByText("its decision is not all that it printed")
    : { kind: "allow" };
}

/** What a blocking end says. */
export function blocked(event: string, reason: string | undefined): Said {
  if (event === "PreToolUse") return { kind: "deny", reason };
  return reason === undefined ? { kind: "allow" } : { kind: "feedback", text: reason, blocks: true };
}

/** What Claude makes of an object that a hook printed before a call. */
export function decidePre(answer: JsonObject): Decoded {
  if (answer["continue"] === false) return { kind: "deny", reason: stopReasonOf(answer) };
  const specific = specificOf(answer, "PreToolUse");
  if (specific === undefined) return fellByText("it answers another event");
  const places = [
    specific["permissionDecision"],
    answer["permissionDecision"],
    topDecision(answer["decision"]),
  ];
  const decision = places.find((place) => place !== undefined);
  const reason = asText(specific["permissionDecisionReason"]) ?? asText(answer["reason"]);
  if (decision === "deny") return { kind: "deny", reason };
  const updated = specific["updatedInput"];
  const input = asObject(updated);
  if (updated !== undefined && input === undefined) return fellByText("updatedInput is no object");
  return admit(decision, { input, reason });
}

/**
 * Claude reads `permissionDecision` in `hookSpecificOutput` alone, and the old `decision` as approve or block. A denial
 * may be explained in `systemMessage` only.
 */
function asClaude(meant: Decoded, answer: JsonObject): Decoded {
  if (meant.kind !== "ask" && meant.kind !== "deny") return meant;
  const isRead =
    asObject(answer["hookSpecificOutput"])?.["permissionDecision"] !== undefined ||
    answer["decision"] === "block" ||
    answer["continue"] === false;
  const said = { ...meant, reason: meant.reason ?? asText(answer["systemMessage"]) };
  if (isRead) return said;
  return { ...fell("invalid_answer", "decides where Claude reads no such word"), hardened: said };
}

/** A decision that is no denial, with the rewrite that came with it. */
function admit(
  decision: JsonObject[string] | undefined,
  { input, reason }: { readonly input: JsonObject | undefined; readonly reason: string | undefined },
): Decoded {
  if (decision === "ask" || decision === "defer") return { kind: "ask", reason, input };
  if (decision !== undefined && decision !== "allow") return fellByText("unknown decision");
  return input === undefined ? { kind: "allow", reason } : { kind: "modify", input, merge: false, reason };
}

function topDecision(value: JsonObject[string] | undefined): JsonObject[string] | undefined {
  if (value === "approve") return "allow";
  return value === "block" ? "deny" : value;
}

/** What Claude makes of an object that a hook printed after a call. */
export function decidePost(event: string, answer: JsonObject): Decoded {
  if (answer["continue"] === false) return { kind: "deny", reason: stopReasonOf(answer) };
  const specific = specificOf(answer, event);
  if (specific === undefined) return fellByText("it answers another event");
  const { decision } = answer;
  const reason = asText(answer["reason"]);
  if (decision === "block") {
    const text = reason ?? "a hook objects to this result";
    return { kind: "feedback", text, blocks: true };
  }
  if (decision !== undefined && decision !== "approve") return fellByText("unknown decision");
  const output = specific["updatedToolOutput"] ?? specific["updatedMCPToolOutput"];
  if (output !== undefined) return { kind: "replace", output, reason };
  const context = asText(specific["additionalContext"]);
  return context === undefined
    ? { kind: "allow", reason }
    : { kind: "feedback", text: context, blocks: false };
}

/** What the answer says about its event; undefined when it names another. */
function specificOf(answer: JsonObject, event: string): JsonObject | undefined {
  const specific = asObject(answer["hookSpecificOutput"]) ?? {};
  const named = specific["hookEventName"];
  return named === undefined || named === event ? specific : undefined;
}

function stopReasonOf(answer: JsonObject): string {
  return asText(answer["stopReason"]) ?? asText(answer["reason"]) ?? "the hook stops the agent";
}

function differences(): readonly Difference[] {
  const row = (when: string, exitCode: number | null, stdout: string): Difference => {
    const example = { event: "PreToolUse", exitCode, stdout, stderr: "" };
    return { dialect: "claude", when, vendor: "allows", hardened: "denies", example };
  };
  const specific = (fields: JsonObject): string => JSON.stringify({ hookSpecificOutput: fields });
  const denial = specific({ hookEventName: "PreToolUse", permissionDecision: "deny" });
  return [
    row("a hook exits with a code other than 0 and 2, whatever it printed", 1, denial),
    row("a signal ends it", null, ""),
    {
      dialect: "claude",
      when: "it does not answer before its timeout",
      vendor: "allows",
      hardened: "denies",
    },
    { dialect: "claude", when: "its program cannot be started", vendor: "allows", hardened: "denies" },
    row("it prints half a JSON object", 0, '{"decision":"bl'),
    row("a log line stands before its decision", 0, `checking\n${denial}`),
    row("it answers another event", 0, denial.replace("Pre", "Post")),
    row("its decision is a word that Claude does not know", 0, specific({ permissionDecision: "reject it" })),
    row("its denial stands where Claude does not read it", 0, '{"permissionDecision":"deny"}'),
    row("it denies in Cursor's words", 0, '{"permission":"deny"}'),
    row("its hookSpecificOutput is no object", 0, '{"hookSpecificOutput":"deny"}'),
    row("its change stands where Claude reads none", 0, '{"updatedInput":{"command":"ls"}}'),
    {
      ...row(
        "it asks for a person in a place where Claude reads `approve` and `block` alone",
        0,
        '{"decision":"ask","reason":"sure?"}',
      ),
      hardened: "asks",
    },
    row("updatedInput is no object", 0, specific({ permissionDecision: "allow", updatedInput: "rm" })),
  ];
}
