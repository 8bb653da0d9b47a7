export { onAbort, type Abortable } from "./abort-watch.ts";
export { BasisError, isBasisError, type BasisErrorOptions } from "./basis-error.ts";
export {
  DeadlineError,
  joinSignals,
  underDeadline,
  untilAborted,
  withDeadline,
  type DeadlineContext,
  type DeadlineOptions,
  type JoinedSignal,
} from "./cancellation.ts";
export { canonicalJson, digestJson } from "./canonical-json.ts";
export { systemClock, type Clock } from "./clock.ts";
export { newId } from "./ids.ts";
export {
  childPointer,
  isJsonObject,
  type JsonObject,
  type JsonProblem,
  type JsonValue,
  type StrictParse,
  type StrictParseOptions,
} from "./json.ts";
export { formatModelRef, parseModelRef, type ModelInfo, type ModelRef } from "./model-ref.ts";
export { orderedJson } from "./ordered-json.ts";
export { parseStrict } from "./parse-strict.ts";
export type { RunOutcome, RunReport, StoppedBy } from "./run-report.ts";
export {
  isStandardSchema,
  type JsonSchema,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from "./schema.ts";
export { sha256 } from "./sha256.ts";
export type { SideEffectLevel, ToolCall, ToolResult } from "./tool-call.ts";
export { addUsage, emptyUsage, type TokenUsage } from "./usage.ts";
export { visibleText, type VisibleTextOptions } from "./visible-text.ts";
export { WithSignal, type SignalSource } from "./with-signal.ts";
