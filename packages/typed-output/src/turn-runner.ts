import type { ModelRef, RunReport } from "@basis/core";
import type { Dialect, DialectName } from "./lowering/index.ts";
import type { TerminalGate } from "./terminal-gate.ts";

/**
 * What the model of this run, as the host configured it, can do. Data: what a table says wrongly is
 * corrected at run time by the provider's refusals.
 */
export interface ModelCapabilities {
  readonly model: ModelRef;
  /** Tells two routes to one model apart (a base URL, a gateway's name). */
  readonly endpoint?: string;
  /** Function tools at all. */
  readonly tools: boolean;
  /** The strongest tool choice: one tool by name (which includes `required`), any tool, or none. */
  readonly forced: "named" | "required" | "none";
  /** An answer held to a JSON schema: not at all, only without tools in the request, or beside them. */
  readonly native: "none" | "alone" | "with_tools";
  /**
   * The provider's subset of JSON Schema, by name or as a table of its own. The model is then shown the schema
   * rewritten into it, and its answer is lifted back before it is checked. Absent: the schema arrives as written.
   */
  readonly dialect?: DialectName | Dialect;
  /** True when the host can leave earlier calls and their results out of a request, safely for its provider. */
  readonly forgets?: boolean;
  /** Thinking, as configured for this run; where it refuses a forced choice, none is sent. It is never switched off. */
  readonly thinking?: { readonly enabled: boolean; readonly allowsForcing: boolean };
}

/** The limits of one typed run. Whatever is absent is the host's own business. */
export interface TurnBounds {
  /** From the start of the run to its last result. */
  readonly deadlineMs?: number;
  /** Most ordinary tool calls that run. */
  readonly toolBudget?: number;
  /** Most tokens, input and output together, over every round. */
  readonly tokenBudget?: number;
  /** Most model rounds, the closing ones included. */
  readonly rounds?: number;
  /**
   * The slice of the bounds that a working turn keeps for its closing round.
   * Defaults: 1 round, a tenth of the tokens, a tenth of the time. All zero: no closing after a bound.
   */
  readonly closing?: { readonly rounds?: number; readonly tokens?: number; readonly ms?: number };
}

/** One typed run, as a host gets it. */
export interface TurnRequest {
  /** The task; never blank. */
  readonly prompt: string;
  /** Asked before, in and after every model round; see `TerminalGate`. */
  readonly gate: TerminalGate;
  /**
   * The caller's limits. The gate watches them between rounds; a host that can should hold the deadline
   * and the budgets within a round too, and say in its report what stopped the run.
   */
  readonly bounds: TurnBounds;
  /** Aborts on the caller's cancel and at the deadline (then with a `DeadlineError` as reason). */
  readonly signal: AbortSignal;
}

/**
 * The port that a host implements. `run` resolves with its account on every path, failures included.
 * A rejection before the first `gate.offer()` means that no turn existed (an exhausted pool, a sink that
 * refused its header); a later one is a broken contract and ends as `failed` with the account so far.
 */
export interface TurnRunner {
  readonly capabilities: ModelCapabilities;
  run(request: TurnRequest): Promise<RunReport>;
}
