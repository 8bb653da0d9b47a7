import { parseStrict, type JsonObject } from "@basis/core";
import { checkAnswer, type AnswerCheck, type HookAnswer } from "./hook-decision.ts";
import type { HookContext, HookRequest } from "./hook-request.ts";
import { describeJsonProblem } from "./json-problem.ts";

/** Most bytes of an answer: 8 MiB. */
export const MAX_ANSWER_BYTES: number = 8 * 1024 * 1024;

const encoded = new WeakMap<HookRequest, string>();

/** A request as one line of JSON, its keys in the contract's order. Made once, whoever is asked with it. */
export function encodeRequest(request: HookRequest): string {
  let text = encoded.get(request);
  if (text === undefined) {
    text = JSON.stringify(requestToWire(request));
    encoded.set(request, text);
  }
  return text;
}

/** A request with its keys as they stand on the wire. */
function requestToWire(request: HookRequest): JsonObject {
  const { hookSchema, event, workspace, agentId, toolCallId, toolName, input } = request;
  return {
    hook_schema: hookSchema,
    event,
    workspace,
    agent_id: agentId,
    tool_call_id: toolCallId,
    tool_name: toolName,
    input,
    ...(request.event === "post_tool_use" && { output: request.output, is_error: request.isError }),
    ...contextToWire(request),
  };
}

function contextToWire({ parentAgentId, depth, toolSource, effect }: HookContext): JsonObject {
  return {
    ...(parentAgentId !== undefined && { parent_agent_id: parentAgentId }),
    ...(depth !== undefined && { depth }),
    ...(toolSource !== undefined && { tool_source: toolSource }),
    ...(effect !== undefined && { effect }),
  };
}

/**
 * Reads the text of one answer: one JSON object tagged by `decision`, with nothing after it but white space.
 * Unknown fields are tolerated; whatever else is wrong is a problem, never an allow. A problem quotes nothing of the text.
 */
export function decodeAnswer(text: string): AnswerCheck {
  const parsed = parseStrict(text, { maxBytes: MAX_ANSWER_BYTES });
  if (!parsed.ok) return { ok: false, problem: describeJsonProblem(parsed) };
  return checkAnswer(parsed.value, "is_error");
}

/** An answer as one line of JSON, for hooks written in TypeScript. */
export function encodeAnswer(answer: HookAnswer): string {
  const { decision, reason } = answer;
  return JSON.stringify({
    decision,
    ...(answer.decision === "modify" && { input: answer.input }),
    ...(answer.decision === "replace" && { output: answer.output, is_error: answer.isError }),
    reason,
  });
}
