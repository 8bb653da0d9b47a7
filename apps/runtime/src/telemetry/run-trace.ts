import type { TokenUsage } from "@basis/core";
import type { EventData, EventType } from "../events/event-schema.ts";
import type { AssistantMessage, FinishReason, ModelRequest } from "../providers/model.ts";

/** Where in a trace something stands; only whoever made it looks inside. */
export type TracePlace = { readonly place: unknown };

/** One run, as a trace begins with it. */
export interface TracedRun {
  readonly session: string;
  readonly run: string;
  readonly agent: { readonly name: string; readonly agentId: string };
  readonly model: { readonly provider: string; readonly id: string };
  /** Of a delegated child: the call that it works for. Absent: where the host's own trace stands. */
  readonly below?: TracePlace | undefined;
  /** The log of the session that this one was forked from, the newest event first. */
  readonly source?: ForkSource | undefined;
}

/** The session that a session was forked from. */
export interface ForkSource {
  readonly session: string;
  /** Of the run that it was forked from, as its log tells it. */
  readonly traceparent: string | undefined;
}

/** What a model round answered, as far as a trace tells it. */
export interface TracedAnswer {
  readonly message: AssistantMessage;
  readonly finishReason: FinishReason;
  readonly usage: TokenUsage;
}

/** One tool call, as it is executed. */
export interface TracedCall {
  readonly callKey: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly source: string;
}

/** The trace of one run. */
export interface RunTrace {
  /** The run's span in the W3C form, kept in `run_started`. */
  readonly traceparent: string;
  /** Hears every event of the run, as it happens. The last one ends the trace. */
  hear<T extends EventType>(type: T, data: EventData<T>): void;
  /** Runs one model round inside its span. */
  chat<T extends TracedAnswer>(request: ModelRequest, work: () => Promise<T>): Promise<T>;
  /** Runs one tool inside its span, which ends with the call's result. */
  tool<T>(call: TracedCall, work: () => Promise<T>): Promise<T>;
  /** Where a child of a call stands. */
  below(callKey: string): TracePlace;
}

/** What traces runs and forks. A host without one has no trace, and no work for it. */
export interface Tracing {
  /** Undefined when nobody records this run. */
  begin(run: TracedRun): RunTrace | undefined;
  fork<T extends TracedFork>(work: () => Promise<T>): Promise<T>;
}

/** A fork that was made, as far as a trace tells it. */
export interface TracedFork {
  readonly operationId: string;
  readonly sessionId: string;
  readonly lineage: { readonly sessionId: string };
}
