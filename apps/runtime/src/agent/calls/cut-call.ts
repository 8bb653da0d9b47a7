import { textOutcome, type ToolOutcome } from "../../tools/tool.ts";
import type { FinishReason } from "../../providers/model.ts";
import type { QueuedCall } from "./queued-call.ts";

const EMPTY_INPUT = /^\s*(?:\{\s*\})?\s*$/;

/** What the model is told of a call that may be cut. */
export const cutCallOutcome: ToolOutcome = textOutcome(
  "not executed: the answer reached the model's output limit in this call; make it again",
  true,
);

/** The call that an answer's limit may have cut off before anything of its input: providers make `{}` of that. */
export function cutCall(calls: readonly QueuedCall[], finishReason: FinishReason): QueuedCall | undefined {
  const last = calls.at(-1);
  return finishReason === "length" && last !== undefined && EMPTY_INPUT.test(last.inputJson)
    ? last
    : undefined;
}
