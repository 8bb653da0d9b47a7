import type { JsonValue } from "@basis/core";
import { sharesSchemaPlace, type RefusedPart, type Rung } from "./ladder.ts";
import type { Degradation, OutputBound, OutputIssue } from "./output-result.ts";

/** How a working turn is brought to its answer when it ends without one. */
export interface ClosingPolicy {
  readonly reminder: boolean;
  readonly forced: boolean;
}

/** What is added before the next round. */
export type TurnMessage = "reminder" | "instruction";

/** How a turn ended, without its account. */
export type TurnEnding =
  | { readonly status: "accepted"; readonly value: unknown; readonly normalized: boolean }
  | {
      readonly status: "mismatch";
      readonly at: "parse" | "schema" | "decode";
      readonly issues: readonly OutputIssue[];
      readonly candidate?: JsonValue;
    }
  | { readonly status: "rejected"; readonly reasons: readonly string[]; readonly candidate?: JsonValue }
  | { readonly status: "missing"; readonly ended: "prose" | "empty"; readonly text: string }
  | { readonly status: "truncated"; readonly limit: "output_tokens" | "unknown" }
  | { readonly status: "refused"; readonly text: string }
  | { readonly status: "bounded"; readonly by: OutputBound }
  | { readonly status: "unsupported"; readonly at: "strategy" | "schema"; readonly hint: string }
  | { readonly status: "cancelled" }
  | { readonly status: "failed"; readonly error: unknown };

/** Where a typed turn stands. A value; `advanceTurn` makes the next one. */
export interface TurnState {
  readonly working: boolean;
  /** `work`: the whole toolset, the choice free. `ask`: the answer is demanded, in the way of `rungs[0]`. */
  readonly phase: "work" | "ask" | "done";
  /** The way of asking and those below it. */
  readonly rungs: readonly Rung[];
  /** True while the provider's strict mode is asked for. */
  readonly strict: boolean;
  readonly policy: ClosingPolicy;
  readonly reminded: boolean;
  readonly closing: number;
  /** Candidates in all, and those used up. */
  readonly attempts: number;
  readonly used: number;
  readonly message: TurnMessage | undefined;
  /** The bound that made a working turn close. */
  readonly boundBy?: OutputBound;
  readonly degradations: readonly Degradation[];
  readonly ending?: TurnEnding;
}

/** What a turn can be told. */
export type TurnEvent =
  /** A round without a call; `cut` when the provider's output limit ended it. */
  | { readonly type: "prose"; readonly text: string; readonly cut: boolean }
  /** A round that only called tools which were not offered. */
  | { readonly type: "off_course"; readonly text: string }
  | { readonly type: "provider_refused"; readonly part: RefusedPart; readonly message: string }
  /** A bound was reached; `canClose` when its reserved slice is still there. */
  | { readonly type: "bound"; readonly by: OutputBound; readonly canClose: boolean }
  /** A candidate used up an attempt; `ending` is how the turn ends if it was the last. */
  | { readonly type: "attempt_failed"; readonly ending: TurnEnding }
  /** The turn is over, one way or another. */
  | { readonly type: "end"; readonly ending: TurnEnding };

/** What a turn starts from. */
export interface TurnSetup {
  readonly working: boolean;
  readonly rungs: readonly Rung[];
  readonly strict: boolean;
  readonly policy: ClosingPolicy;
  readonly attempts: number;
  /** Candidates that a parked run used up before. */
  readonly used: number;
}

/** The state before the first round. */
export function startTurn(setup: TurnSetup): TurnState {
  const phase = setup.working ? "work" : "ask";
  const { working, rungs, strict, policy, attempts, used } = setup;
  const message = working ? undefined : "instruction";
  const reminded = false;
  const closing = 0;
  return {
    working,
    phase,
    rungs,
    strict,
    policy,
    reminded,
    closing,
    attempts,
    used,
    message,
    degradations: [],
  };
}

/** The next state. Pure; a turn that is done stays as it is, and every chain of events is finite. */
export function advanceTurn(state: TurnState, event: TurnEvent): TurnState {
  if (state.phase === "done") return state;
  switch (event.type) {
    case "prose":
      return state.phase === "work" ? closeWork(state, event.text) : endAsked(state, event);
    case "off_course":
      return endAsked(state, { text: event.text || "-", cut: false });
    case "provider_refused":
      return stepDown(state, event);
    case "bound":
      return reachBound(state, event);
    case "attempt_failed": {
      const used = state.used + 1;
      return used >= state.attempts ? finish({ ...state, used }, event.ending) : { ...state, used };
    }
    case "end":
      return finish(state, event.ending);
    default:
      return event satisfies never;
  }
}

/** The state after the message was handed to the host. */
export function messageGiven(state: TurnState): TurnState {
  return { ...state, message: undefined };
}

function finish(state: TurnState, ending: TurnEnding): TurnState {
  return { ...state, message: undefined, phase: "done", ending };
}

function missing(text: string): TurnEnding {
  return { status: "missing", ended: text.trim() === "" ? "empty" : "prose", text };
}

/** A working turn stopped by itself: one reminder, then one forced round, then it is missing. */
function closeWork(state: TurnState, text: string): TurnState {
  const { policy, reminded, closing } = state;
  if (policy.reminder && !reminded) {
    return { ...state, reminded: true, closing: closing + 1, message: "reminder" };
  }
  return policy.forced ? askNow(state) : finish(state, missing(text));
}

function askNow(state: TurnState): TurnState {
  return { ...state, phase: "ask", closing: state.closing + 1, message: "instruction" };
}

/** A round that was to answer brought none: cut off, empty, or the demand was ignored. */
function endAsked(state: TurnState, { text, cut }: { text: string; cut: boolean }): TurnState {
  if (cut) return finish(state, { status: "truncated", limit: "output_tokens" });
  const [from, to] = state.rungs;
  const mayStepDown = !state.working && text.trim() !== "" && from !== undefined && to !== undefined;
  if (mayStepDown) return descend(state, { from, to, reason: "ignored" });
  return finish(state, state.boundBy ? { status: "bounded", by: state.boundBy } : missing(text));
}

function stepDown(state: TurnState, event: TurnEvent & { type: "provider_refused" }): TurnState {
  const [from, ...below] = state.rungs;
  const { part, message } = event;
  if (part === "schema" && state.strict && from !== undefined) return loosen(state, from, message);
  if (state.phase === "work" || from === undefined) return finish(state, unsupported(part, message));
  const to = below.find((rung) => part === "tool_choice" || !sharesSchemaPlace(rung, from));
  if (to === undefined) return finish(state, unsupported(part, message));
  return descend(state, { from, to, reason: part, message: message.slice(0, 200) });
}

/** A schema refused in strict mode is first sent without it: in the same way, and never strictly again. */
function loosen(state: TurnState, rung: Rung, message: string): TurnState {
  const step: Degradation = { from: rung, to: rung, reason: "strict", message: message.slice(0, 200) };
  return { ...state, strict: false, degradations: [...state.degradations, step] };
}

function unsupported(part: RefusedPart, message: string): TurnEnding {
  const at = part === "schema" ? "schema" : "strategy";
  return { status: "unsupported", at, hint: `the provider refused the ${part}: ${message.slice(0, 200)}` };
}

function descend(state: TurnState, step: Degradation): TurnState {
  const rungs = state.rungs.slice(state.rungs.indexOf(step.to));
  return { ...state, rungs, degradations: [...state.degradations, step], message: "instruction" };
}

function reachBound(state: TurnState, { by, canClose }: { by: OutputBound; canClose: boolean }): TurnState {
  if (state.phase !== "work" || !canClose || !state.policy.forced) {
    return finish(state, { status: "bounded", by: state.boundBy ?? by });
  }
  return askNow({ ...state, boundBy: by });
}
