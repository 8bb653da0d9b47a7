import type { JsonValue, RunReport, TokenUsage } from "@basis/core";
import type { Rung } from "./ladder.ts";
import type { Ledger } from "./ledger.ts";

/** A complaint about an answer, with the stage that raised it. */
export interface OutputIssue {
  readonly stage: "parse" | "schema" | "validate" | "decode";
  /** JSON pointer into the answer; empty for the whole. */
  readonly pointer: string;
  readonly message: string;
  /** The schema keyword, or what the parser objected to. */
  readonly keyword?: string;
}

/** A reading other than the literal one that was taken, and where. */
export interface Normalisation {
  readonly kind: "code_fence" | "double_encoded" | "envelope" | "bare_root" | "tool_name_case" | "validator";
  readonly pointer: string;
}

/** How one candidate ended. */
export type AttemptVerdict =
  | "accepted"
  | "malformed"
  | "mismatch"
  | "rejected"
  | "undecodable"
  | "truncated"
  | "denied"
  | "vetoed"
  | "failed";

/** The account of one candidate. */
export interface AttemptRecord {
  /** 1 for the first candidate. */
  readonly number: number;
  /** The terminal call; absent when the answer came as text. */
  readonly toolCallId?: string;
  /** Of the model rounds since the candidate before. */
  readonly usage: TokenUsage;
  readonly verdict: AttemptVerdict;
  readonly issues: readonly OutputIssue[];
  /** What the model was told; absent when it was told nothing more. */
  readonly feedback?: string;
  readonly notes: readonly Normalisation[];
  /** The hook that rewrote or denied the call. */
  readonly by?: string;
  /** True when it was the same candidate as the one before. */
  readonly repeated: boolean;
  /** Time the check took. */
  readonly ms: number;
}

/** A step down the ladder. With `strict` the way stays the same, without the provider's strict mode. */
export interface Degradation {
  readonly from: Rung;
  readonly to: Rung;
  readonly reason: "tool_choice" | "schema" | "strict" | "ignored";
  /** The provider's words, cut to 200 characters. */
  readonly message?: string;
}

/** How the answer was asked for. */
export interface OutputPlan {
  readonly toolName: string;
  readonly turn: "shaping" | "working";
  /** The last way of asking; absent when a working turn never had to close. */
  readonly rung?: Rung;
  /**
   * Whether the schema was last sent for the provider's strict mode: false where the provider refused that, now or
   * lately. Absent where the schema has no such mode.
   */
  readonly strict?: boolean;
  /** Ways left out from the start because this model refused them lately. */
  readonly skipped: readonly Rung[];
  readonly degradations: readonly Degradation[];
  /** Rounds a working turn was asked for beyond its own end: the reminder and the forced one. */
  readonly closing: number;
  readonly ledger: Ledger;
}

/** What every result carries. */
export interface AttemptAccount {
  readonly attempts: readonly AttemptRecord[];
  readonly plan: OutputPlan;
}

/** The account of a turn that existed. */
interface Reported extends AttemptAccount {
  readonly report: RunReport;
}

/** The account where the turn may never have begun. */
interface MaybeReported extends AttemptAccount {
  readonly report?: RunReport;
}

/** What bound a run. */
export type OutputBound = "deadline" | "tool_budget" | "token_budget" | "rounds";

/** How a typed run ended, and its whole account: one union, told apart by `status`. */
export type OutputAttempt<T> =
  /** `normalized` is true when the value is not the literal reading of what the model sent. */
  | (Reported & { readonly status: "accepted"; readonly value: T; readonly normalized: boolean })
  /** The last candidate could not be read, did not fit the schema, or was not decodable. */
  | (Reported & {
      readonly status: "mismatch";
      readonly at: "parse" | "schema" | "decode";
      readonly issues: readonly OutputIssue[];
      readonly candidate?: JsonValue;
    })
  /** The host's validator, a hook or a failed sibling refused every candidate. */
  | (Reported & {
      readonly status: "rejected";
      readonly reasons: readonly string[];
      readonly candidate?: JsonValue;
    })
  | (Reported & {
      readonly status: "missing";
      readonly ended: "prose" | "empty" | "stop";
      readonly text: string;
    })
  /** The answer was cut off; `limit` is `unknown` when the provider did not say why. */
  | (Reported & { readonly status: "truncated"; readonly limit: "output_tokens" | "unknown" })
  | (Reported & { readonly status: "refused"; readonly text: string })
  | (Reported & { readonly status: "bounded"; readonly by: OutputBound })
  | (MaybeReported & {
      readonly status: "unsupported";
      readonly at: "strategy" | "schema";
      readonly hint: string;
      readonly ledger: Ledger;
    })
  | (Reported & { readonly status: "parked"; readonly approvalId: string })
  | (Reported & { readonly status: "cancelled" })
  | (MaybeReported & { readonly status: "failed"; readonly error: unknown });

/** The ways a typed run ends. */
export type OutputStatus = OutputAttempt<unknown>["status"];
