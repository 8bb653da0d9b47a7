import type { JsonObject, JsonValue, ToolResult } from "@basis/core";
import { CALL_EFFECTS, type HookCall, type HookEvent } from "../hook-request.ts";
import {
  aFlag,
  anything,
  aText,
  oneOf,
  readObject,
  wrongAt,
  type MemberRule,
  type UserDocument,
} from "./user-document.ts";

/** One question to a chain, as a user wrote it down. */
export interface CallQuestion {
  readonly event: HookEvent;
  readonly call: HookCall;
  readonly input: JsonValue;
  /** Present after the call. */
  readonly result: ToolResult | undefined;
}

const RULES: ReadonlyMap<string, MemberRule> = new Map<string, MemberRule>([
  ["tool_name", { ...aText, required: true }],
  ["input", { ...anything, required: true }],
  ["event", oneOf("pre_tool_use", "post_tool_use")],
  ["agent_id", aText],
  ["tool_call_id", aText],
  ["output", anything],
  ["is_error", aFlag],
  ["parent_agent_id", aText],
  [
    "depth",
    { must: "a whole number from 0", accepts: (value) => Number.isInteger(value) && Number(value) >= 0 },
  ],
  ["tool_source", aText],
  ["effect", oneOf(...CALL_EFFECTS)],
  // A request as a hook reads it is a call too; the workspace asked is the one that the command names.
  ["hook_schema", { must: "1", accepts: (value) => value === 1 }],
  ["workspace", aText],
]);

/** The call at a place of a document. @throws HookError `invalid_file` with the line. */
export function readCall(
  document: UserDocument,
  value: JsonValue | undefined,
  pointer: string,
): CallQuestion {
  const call = readObject(document, { pointer, what: "a call", value }, RULES);
  const isPost = call["event"] === "post_tool_use";
  const hasOutput = Object.hasOwn(call, "output");
  if (isPost && !hasOutput)
    throw wrongAt(document, pointer, "a call of event 'post_tool_use' needs its 'output'");
  for (const key of isPost ? [] : ["output", "is_error"]) {
    if (!Object.hasOwn(call, key)) continue;
    throw wrongAt(document, `${pointer}/${key}`, `'${key}' goes with "event": "post_tool_use"`);
  }
  return questionOf(call, isPost);
}

function questionOf(call: JsonObject, isPost: boolean): CallQuestion {
  const text = (key: string): string | undefined => call[key] as string | undefined;
  const input = call["input"]!;
  return {
    event: isPost ? "post_tool_use" : "pre_tool_use",
    input,
    call: {
      agentId: text("agent_id") ?? "main",
      toolCallId: text("tool_call_id") ?? "call-1",
      toolName: text("tool_name")!,
      inputJson: JSON.stringify(input),
      parentAgentId: text("parent_agent_id"),
      depth: call["depth"] as number | undefined,
      toolSource: text("tool_source"),
      effect: text("effect") as HookCall["effect"],
    },
    result: isPost ? { output: call["output"]!, isError: call["is_error"] === true } : undefined,
  };
}

/** The question as its document spells it, defaults filled in. */
export function questionToWire({ event, call, input, result }: CallQuestion): JsonObject {
  const { parentAgentId, depth, toolSource, effect } = call;
  return {
    event,
    agent_id: call.agentId,
    tool_call_id: call.toolCallId,
    tool_name: call.toolName,
    input,
    ...(result !== undefined && { output: result.output, is_error: result.isError }),
    ...(parentAgentId !== undefined && { parent_agent_id: parentAgentId }),
    ...(depth !== undefined && { depth }),
    ...(toolSource !== undefined && { tool_source: toolSource }),
    ...(effect !== undefined && { effect }),
  };
}
