import type { HookCall } from "../hook-request.ts";

/** A call to the tool `run` with the input `{"command":"ls"}`; give what a test is about. */
export function sampleCall(facts: Partial<HookCall> = {}): HookCall {
  return {
    agentId: "agent-1",
    toolName: "run",
    toolCallId: "call-1",
    inputJson: '{"command":"ls"}',
    ...facts,
  };
}
