import type { JsonObject } from "@basis/core";
import { blocked, decidePost, decidePre, isOfEvent } from "./claude.ts";
import type { Decoded, Dialect, DialectHook, Difference, Ended, ParseJson } from "./dialect.ts";
import { matchesExpression } from "./matcher.ts";
import { asObject, asText, fellByExit, fellByText, hidesVerdict, wholeObject } from "./verdict-text.ts";

/** Codex. Source: hook-dialects.md 2.3. */
export const codex: Dialect = {
  name: "codex",
  tools: {
    kinds: { shell: "Bash", write: "apply_patch", edit: "apply_patch" },
    also: { write: ["Write", "Edit"], edit: ["Edit", "Write"] },
    serverTool: (server, tool) => `mcp__${server}__${tool}`,
  },
  matches: ({ event, matcher = "" }, call) =>
    (isOfEvent(event, call) || event === "PostToolUse") &&
    (["", "*"].includes(matcher) || matchesExpression(matcher, call.names)),
  stdin: (hook, call, session) => ({
    session_id: session.sessionId,
    turn_id: session.turnId ?? session.sessionId,
    ...(call.isChild && { agent_id: call.agentId }),
    transcript_path: session.transcriptPath === "" ? null : session.transcriptPath,
    cwd: call.cwd,
    hook_event_name: hook.event,
    model: session.model ?? "",
    permission_mode: "default",
    tool_name: call.toolName,
    tool_input: call.input,
    ...(call.result && { tool_response: call.result.output }),
    tool_use_id: call.toolCallId,
  }),
  env: ({ pluginRoot }): Record<string, string> =>
    pluginRoot === undefined ? {} : { PLUGIN_ROOT: pluginRoot, CLAUDE_PLUGIN_ROOT: pluginRoot },
  decode: decodeCodex,
  differences: differences(),
};

const KEYS: ReadonlySet<string> = new Set(
  "continue stopReason suppressOutput systemMessage decision reason hookSpecificOutput".split(" "),
);
const SPECIFIC_KEYS: ReadonlySet<string> = new Set(
  (
    "hookEventName permissionDecision permissionDecisionReason updatedInput additionalContext " +
    "updatedToolOutput updatedMCPToolOutput"
  ).split(" "),
);

function decodeCodex({ event }: Pick<DialectHook, "event">, ended: Ended, parse: ParseJson): Decoded {
  const { exitCode, stdout, stderr } = ended;
  const said = asText(stderr)?.trim();
  if (exitCode === 2) return said === undefined ? fellByExit(2) : blocked(event, said);
  if (exitCode !== 0) return fellByExit(exitCode);
  const text = stdout.trim();
  const answer = wholeObject(text, parse);
  if (answer !== undefined) return decide(event, answer);
  if (/^[{[]/.test(text)) return fellByText("it is not one JSON object");
  return hidesVerdict(text, parse)
    ? fellByText("its decision is not all that it printed")
    : { kind: "allow" };
}

/** Codex refuses what it does not support, and then runs the call: what was meant as an allow stays one. */
function decide(event: string, answer: JsonObject): Decoded {
  const isPre = event === "PreToolUse";
  const meant = isPre ? decidePre(answer) : decidePost(event, answer);
  const problem = unsupported(answer) ?? (isPre ? preProblem(answer, meant) : postProblem(answer));
  if (problem === undefined || meant.kind === "allow") return meant;
  return fellByText(problem);
}

function unsupported(answer: JsonObject): string | undefined {
  const specific = asObject(answer["hookSpecificOutput"]) ?? {};
  const isUnknown =
    Object.keys(answer).some((key) => !KEYS.has(key)) ||
    Object.keys(specific).some((key) => !SPECIFIC_KEYS.has(key));
  return isUnknown ? "it has a field that Codex does not know" : undefined;
}

function preProblem(answer: JsonObject, meant: Decoded): string | undefined {
  if (answer["continue"] === false || answer["stopReason"] !== undefined)
    return "Codex does not stop for a hook";
  if (answer["suppressOutput"] !== undefined) return "Codex does not know suppressOutput";
  if (meant.kind === "deny" && meant.reason === undefined) return "a denial without a reason";
  if (meant.kind === "ask") return "Codex asks nobody";
  const specific = asObject(answer["hookSpecificOutput"]);
  const isAllowed = specific?.["permissionDecision"] === "allow";
  return meant.kind === "modify" && !isAllowed ? "a rewrite without allow" : undefined;
}

function postProblem(answer: JsonObject): string | undefined {
  return answer["decision"] === "block" && asText(answer["reason"]) === undefined
    ? "an objection without a reason"
    : undefined;
}

function differences(): readonly Difference[] {
  const row = (when: string, exitCode: number | null, stdout: string): Difference => {
    const example = { event: "PreToolUse", exitCode, stdout, stderr: "" };
    return { dialect: "codex", when, vendor: "allows", hardened: "denies", example };
  };
  const specific = (fields: JsonObject): string => JSON.stringify({ hookSpecificOutput: fields });
  return [
    row("a hook exits with 2 and an empty standard error", 2, ""),
    row("it exits with another code, whatever it printed", 1, specific({ permissionDecision: "deny" })),
    row("a signal ends it", null, ""),
    row("it prints half a JSON object", 0, '{"decision":"bl'),
    row("it denies without a reason", 0, specific({ permissionDecision: "deny" })),
    row(
      "it denies and has a field that Codex does not know",
      0,
      '{"decision":"block","reason":"no","severity":1}',
    ),
    row("it stops the agent", 0, '{"continue":false,"stopReason":"no"}'),
    row("it asks for a person", 0, specific({ permissionDecision: "ask" })),
    row("it denies in Cursor's words", 0, '{"permission":"deny","user_message":"no"}'),
    row("it rewrites without allow", 0, specific({ updatedInput: { command: "ls" } })),
    { dialect: "codex", when: "it does not answer before its timeout", vendor: "allows", hardened: "denies" },
  ];
}
