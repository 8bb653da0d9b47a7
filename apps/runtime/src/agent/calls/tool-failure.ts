import { isBasisError } from "@basis/core";
import { modelText, textOutcome, type ToolOutcome } from "../../tools/tool.ts";
import { eventCall, type QueuedCall } from "./queued-call.ts";
import type { RunContext } from "../run/run-context.ts";

/**
 * The one place where a failure becomes words for the model. What was not written for it may quote paths, keys or a
 * program's output: that goes to the log, and the model only hears that the call failed.
 */
export function failedOutcome(run: RunContext, call: QueuedCall, error: unknown): ToolOutcome {
  const text = modelText(error);
  if (text !== undefined) return textOutcome(text, true);
  const message = error instanceof Error ? error.message : String(error);
  const code = isBasisError(error) ? error.code : "tool_failed";
  run.emit("error", { ...eventCall(call), code, message });
  return textOutcome(`'${call.toolName}' failed inside the host; its log says why`, true);
}
