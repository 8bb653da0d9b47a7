import type { JsonValue } from "@basis/core";
import type { ApprovalRequest } from "../approval-request.ts";
import type { ApprovalStore } from "../approval-store.ts";

/** A call as a host is asked about it. */
export interface ApprovedCall {
  readonly toolName: string;
  readonly toolCallId: string;
  /** The final input, exactly as the tool will get it. */
  readonly input: JsonValue;
}

/** What a host knows of a call beside its name and input. */
export type CallFacts = Omit<
  Partial<ApprovalRequest>,
  "callKey" | "callId" | "agentId" | "toolName" | "input" | "digest"
>;

/** Whose calls are asked about, and how. */
export interface ApprovalCallsOptions {
  readonly agentId: string;
  /**
   * Level, preview, directory, plan digest … of a call. Asked when the call is judged and again just before it runs:
   * a difference makes its approval stale. Default: nothing is known, so a call counts as `external`.
   */
  readonly facts?: ((call: ApprovedCall) => CallFacts | PromiseLike<CallFacts>) | undefined;
  /**
   * The gate's own store. With it a person's answer that the framework tells counts: it answers the parked question
   * of that call, for the very input that was asked about. Without it, questions are answered in the store alone.
   */
  readonly store?: ApprovalStore | undefined;
  /** Who answers through the framework, as the host names people. Default `the user`. */
  readonly answeredBy?: string | undefined;
  /** A key of the call that is unique in the store: providers repeat their call ids. Default: agent and call id. */
  readonly callKey?: ((call: ApprovedCall) => string) | undefined;
}

/** The same for a list of tools. */
export interface ApproveToolsOptions extends ApprovalCallsOptions {
  /** Names of tools that may run without the gate. They are left as they are. */
  readonly outside?: readonly string[] | undefined;
}
