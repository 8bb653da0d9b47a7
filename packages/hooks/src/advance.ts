import type { JsonObject } from "@basis/core";
import { ALLOW, type HookOutcome, type Verdict } from "./hook-decision.ts";
import {
  holdInput,
  holdOutput,
  type EffectOf,
  type HookRequest,
  type PostToolRequest,
} from "./hook-request.ts";

/** How far a call has come through its chain. */
export interface FoldState {
  /** The request as the next participant sees it. */
  readonly request: HookRequest;
  /** Who changed it, in order, each with its reason. */
  readonly hands: readonly string[];
  /** The text of the first denial, which ends the chain. */
  readonly denied: string | undefined;
  /** What a rewritten input does, for a tool whose calls differ. */
  readonly effectOf: EffectOf | undefined;
}

/** The facts about a participant that the fold needs. */
export interface AskedParticipant {
  readonly who: string;
  readonly onFailure: "deny" | "allow";
  readonly shadow: boolean;
}

/** A chain's state before anybody was asked. */
export function startFold(request: HookRequest, effectOf?: EffectOf): FoldState {
  return { request, hands: [], denied: undefined, effectOf };
}

/**
 * Folds one answer into the state. Pure; the same for every binding.
 *
 * In `recheck` mode the participant judges the final input: anything but `allow` denies. Two failures deny whatever
 * the participant's `onFailure`: an aborted turn, in which nobody can be asked any more, and a request that is too large,
 * since whoever makes the input could choose to go unasked.
 */
export function advance(
  state: FoldState,
  asked: AskedParticipant,
  answer: { readonly verdict: Verdict; readonly mode: "decide" | "recheck" },
): FoldState {
  const { verdict, mode } = answer;
  if (state.denied !== undefined || asked.shadow) return state;
  switch (verdict.decision) {
    case "allow":
      return state;
    case "broken": {
      const { code, message } = verdict.failure;
      const mayPass = code !== "aborted" && code !== "request_too_large";
      return mayPass && asked.onFailure === "allow" && mode === "decide"
        ? state
        : deny(state, `${asked.who} could not answer and denies on failure: ${message}`);
    }
    case "modify":
    case "replace":
      return mode === "decide"
        ? rewrite(state, asked.who, verdict)
        : deny(state, `denied by ${asked.who}: it does not allow the rewritten input as it is`);
    default:
      return deny(state, `denied by ${signed(asked.who, verdict.reason)}`);
  }
}

/** What the chain answers in this state. */
export function outcomeOf(state: FoldState): HookOutcome {
  if (state.denied !== undefined) return { decision: "deny", reason: state.denied };
  if (state.hands.length === 0) return ALLOW;
  const { request } = state;
  const reason = state.hands.join("; ");
  return request.event === "post_tool_use"
    ? { decision: "replace", output: request.output, isError: request.isError, reason }
    : { decision: "modify", input: request.input as JsonObject, reason };
}

function deny(state: FoldState, denied: string): FoldState {
  return { ...state, denied };
}

/** A `replace` comes after the call, a `modify` before: any other was judged broken. */
function rewrite(
  state: FoldState,
  who: string,
  verdict: Extract<Verdict, { decision: "modify" | "replace" }>,
): FoldState {
  const request =
    verdict.decision === "modify"
      ? holdInput(state.request, verdict.input, state.effectOf)
      : holdOutput(state.request as PostToolRequest, verdict.output, verdict.isError);
  return { ...state, hands: [...state.hands, signed(who, verdict.reason)], request };
}

function signed(who: string, reason: string | undefined): string {
  return reason === undefined || reason === "" ? who : `${who}: ${reason}`;
}
