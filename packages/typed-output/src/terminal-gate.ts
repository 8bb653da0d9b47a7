import type { JsonValue, TokenUsage, ToolCall, ToolResult } from "@basis/core";
import type { ProviderRefusal, Rung } from "./ladder.ts";
import type { OutputBound, OutputStatus } from "./output-result.ts";
import type { DeltaVerdict, ReplyDelta } from "./stream/stream-event.ts";
import type { ResponseFormat, TerminalTool } from "./terminal-tool.ts";

/** The tool choice of a round. */
export type ToolChoice =
  | { readonly type: "auto" }
  | { readonly type: "required" }
  | { readonly type: "none" }
  | { readonly type: "tool"; readonly toolName: string };

/** What the next model round is asked with. */
export interface RoundOffer {
  readonly kind: "round";
  /** 1 for the first; a request repeated after a refusal has the same number. */
  readonly round: number;
  /** `all`: the host's tools and, last, the terminal tool. `terminal`: that one alone. `none`: no tools. */
  readonly tools: "all" | "terminal" | "none";
  /** The terminal tool; absent when `tools` is `none`. */
  readonly terminal?: TerminalTool;
  /** Stands over the host's own setting for this round. */
  readonly choice: ToolChoice;
  /** The format to hold the text to. */
  readonly format?: ResponseFormat;
  /** The way of asking; absent while a working turn does its work. */
  readonly rung?: Rung;
  /** Ids of calls to leave out of this request, each with its result. The transcript keeps them. */
  readonly forget?: readonly string[];
  /** A text to append to the transcript as the user's before this request. It is handed out once. */
  readonly message?: string;
}

/** No further round: the host stops and returns its report. */
export interface EndOfTurn {
  readonly kind: "end";
  readonly status: OutputStatus;
}

/** Facts of a model's reply. */
export interface ReplyFacts {
  readonly finish?: FinishReason | undefined;
  readonly usage?: Partial<TokenUsage> | undefined;
  readonly text?: string | undefined;
  /** The agent that made the calls, where a host runs several. */
  readonly agentId?: string | undefined;
}

/** Why a model stopped. `content_filter` and `refusal` end the run as `refused`. */
export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "refusal" | "other";

/** A call with the result it gets instead of being run. */
export interface RefusedCall {
  readonly call: ToolCall;
  readonly result: ToolResult;
}

/** What becomes of the calls of a round. */
export interface Admission {
  /** The terminal calls, by their exact name: settle each, in this order, before anything else runs. */
  readonly terminal: readonly ToolCall[];
  /** Calls that are never run: commit their results. */
  readonly refused: readonly RefusedCall[];
  /** Asked once the terminal calls are settled: which of the other calls run, in this order, and which don't. */
  siblings(): { readonly run: readonly ToolCall[]; readonly refused: readonly RefusedCall[] };
}

/** What happened to a terminal call before it was settled. */
export interface SettleContext {
  /** What the last hook left, with its name; as text, or as a JSON value. It is the candidate. */
  readonly rewrite?:
    | { readonly by: string; readonly text: string }
    | { readonly by: string; readonly value: JsonValue };
  /** A hook denied the call: it counts as a candidate that was rejected. */
  readonly denied?: { readonly by: string; readonly message: string };
}

/**
 * The answer about one terminal call. `result` is committed as the call's result as it stands; with `hold`
 * the result comes from `close`.
 */
export type Settlement =
  | { readonly kind: "accept"; readonly result: ToolResult }
  /** Not the answer; the round goes on and the model may answer again. */
  | { readonly kind: "feedback"; readonly result: ToolResult }
  /** Not the answer, and the run ends after this round. */
  | { readonly kind: "end"; readonly result: ToolResult; readonly status: OutputStatus }
  /** Good so far; the siblings decide. */
  | { readonly kind: "hold" };

/** How an ordinary call of the round ended. */
export interface SiblingOutcome {
  readonly call: ToolCall;
  readonly result: ToolResult;
}

/** Whether there is another round, and the results that were still owed. */
export type RoundVerdict =
  | { readonly kind: "continue"; readonly results: readonly RefusedCall[] }
  | { readonly kind: "end"; readonly status: OutputStatus; readonly results: readonly RefusedCall[] };

/** What to do about a provider's refusal. */
export type RefusalVerdict =
  /** Ask again with the next `offer()`; it costs no attempt. */
  | { readonly kind: "retry" }
  /** Nothing this run can ask in another way: the error is the host's. */
  | { readonly kind: "fail" }
  | { readonly kind: "end"; readonly status: OutputStatus };

/**
 * The state machine of one typed run, driven by a host's loop. Per round:
 *
 * 1. `offer()`: the request, or `end`.
 * 2. The provider refused the request: `refused(error)`. `retry` goes back to 1.
 * 3. The reply has calls: `admit(calls, facts)`; `settle` each of `terminal` in turn; then `siblings()`, and
 *    run what it names; then `close(outcomes)`.
 * 4. The reply has none: `ended(facts)`.
 *
 * Every call gets exactly one result, from `refused`, `settle`, the tool itself, or `close`. When a verdict
 * says `end` the host stops. A host that keeps bounds of its own says so by `bounded`. One thing at a time:
 * the methods of one gate are never called side by side. After its run the gate refuses everything.
 */
export interface TerminalGate {
  /** The terminal tool's exact name. Calls of it are never shown to an approver and never run in parallel. */
  readonly toolName: string;
  offer(): RoundOffer | EndOfTurn;
  /**
   * A piece of a reply that is still coming: of a call's arguments, or of the text; or that the reply begins
   * anew. Optional; it feeds `streamOutput`. On `stop` the host ends the reply and hands the call, as far as
   * it came, to `admit`.
   */
  delta(delta: ReplyDelta): DeltaVerdict;
  admit(calls: readonly ToolCall[], facts?: ReplyFacts): Admission;
  settle(call: ToolCall, context?: SettleContext): Promise<Settlement>;
  close(outcomes?: readonly SiblingOutcome[]): RoundVerdict;
  ended(facts: ReplyFacts): Promise<RoundVerdict>;
  refused(refusal: ProviderRefusal): RefusalVerdict;
  /** The host's own bound was reached. A working turn may go on to its closing round. */
  bounded(by: OutputBound): RoundVerdict;
}
