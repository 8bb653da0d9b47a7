import type { Clock } from "@basis/core";
import type { Validate } from "./check-candidate.ts";
import type { SiblingPolicy } from "./gate-round.ts";
import type { LadderMemory } from "./ladder-memory.ts";
import type { Rung } from "./ladder.ts";
import type { AttemptRecord } from "./output-result.ts";
import type { TurnBounds } from "./turn-runner.ts";

/** How one typed run is carried out. */
export interface OutputOptions {
  /** The host's own check of every answer that fits the schema. */
  readonly validate?: Validate;
  /** Candidates in all. Default 3. Provider retries and step-downs don't count. */
  readonly attempts?: number;
  /** Candidates that a parked run, which this one continues, has used up. Default 0. */
  readonly attemptsUsed?: number;
  /** Cancels the run. */
  readonly signal?: AbortSignal;
  readonly bounds?: TurnBounds;
  /** One way of asking and no other; what the model cannot do is then `unsupported`. Default: the whole ladder. */
  readonly strategy?: Rung;
  /**
   * How a working turn that ends in prose is brought to its answer: by default one reminder, then one
   * forced round. `none` ends it at once.
   */
  readonly closing?: "none" | { readonly reminder?: boolean; readonly forced?: boolean };
  /** The other calls of an accepted round: those after it don't run (`skip`, default), all run, or a failed one vetoes. */
  readonly siblings?: SiblingPolicy;
  /**
   * What a non-empty ledger does: `allow` (default) or `refuse`, which ends the run as `unsupported` before any
   * request when the model is not shown, or the check does not carry out, the schema as it was written.
   */
  readonly loss?: "allow" | "refuse";
  /**
   * What the model sees of candidates that failed: `whole` (default), or `minimal`, only the last one, on hosts
   * whose capabilities say that they can forget.
   */
  readonly history?: "whole" | "minimal";
  /** Keeps everything the model answered out of feedback, issues and failed results. Default false. */
  readonly redact?: boolean;
  /**
   * Told of every candidate with its verdict, and of an accepted one its value; not waited for. What it throws is
   * dropped, a rejected promise as well.
   */
  readonly onAttempt?: (record: AttemptRecord, value?: unknown) => void;
  /** The agent whose calls count, where the host runs several and names them. */
  readonly agentId?: string;
  /** Where refusals of providers are remembered. Default: in this process, 6 hours. */
  readonly memory?: LadderMemory;
  readonly clock?: Clock;
  /** How long a host may take to return after the turn has ended or was aborted. Default 5,000. */
  readonly graceMs?: number;
}
