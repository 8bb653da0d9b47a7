import type { HookAnswer } from "./hook-decision.ts";
import { HookError } from "./hook-error.ts";
import {
  CALL_EFFECTS,
  type CallEffect,
  type HookEvent,
  type HookRequest,
  type PostToolRequest,
} from "./hook-request.ts";
import { requestFilter, type ParticipantFilter, type RequestFilter } from "./participant-filter.ts";

/** How far a participant is from what a repository supplies; the further, the earlier it is asked. */
export type ParticipantRank = "interceptor" | "global" | "workspace";

/** What happens when a participant cannot answer. */
export type OnFailure = "deny" | "allow";

/** What a participant is asked with, beside the request. */
export interface AskContext {
  /** Aborts with the turn, with the chain's `close`, and at the participant's deadline. */
  readonly signal: AbortSignal;
  /** `recheck`: a participant of lower rank changed the input; anything but `allow` now denies. */
  readonly mode: "decide" | "recheck";
}

/**
 * A guard that runs inside the host. Not answering (a throw, a rejection, a timeout, an invalid answer) denies.
 *
 * `intercept` answers every event asked for; `review`, where there is one, answers `post_tool_use` in its place.
 */
export interface Interceptor {
  readonly name: string;
  /** Tool names or globs; absent: every tool, empty: none. */
  readonly tools?: readonly string[] | undefined;
  /** As in `ParticipantFilter`. */
  readonly effect?: readonly CallEffect[] | undefined;
  /** Default `["pre_tool_use"]`, and `post_tool_use` too when there is a `review`. */
  readonly events?: readonly HookEvent[] | undefined;
  /** Default 5,000 ms; `Infinity` for none. */
  readonly timeoutMs?: number | undefined;
  /** Asked and recorded, never enforced. Default false. */
  readonly shadow?: boolean | undefined;
  intercept(request: HookRequest, context: AskContext): HookAnswer | PromiseLike<HookAnswer>;
  review?(request: PostToolRequest, context: AskContext): HookAnswer | PromiseLike<HookAnswer>;
}

/** A participant that stands for a hook: it has a rank, may fail open, and keeps its own deadline unless `timeoutMs` is given. */
export interface HookParticipant extends Interceptor, ParticipantFilter {
  readonly kind: "hook";
  readonly rank: ParticipantRank;
  /** Default `deny`. */
  readonly onFailure?: OnFailure | undefined;
}

/** Whoever a chain asks. */
export type Participant = Interceptor | HookParticipant;

/** A participant as its chain lists it. */
export interface ParticipantInfo {
  /** `hook 'NAME'` or `interceptor 'NAME'`, as in every text about it. */
  readonly who: string;
  readonly name: string;
  readonly kind: "interceptor" | "hook";
  readonly rank: ParticipantRank;
  readonly events: readonly HookEvent[];
  readonly tools: readonly string[] | undefined;
  readonly effect: readonly CallEffect[] | undefined;
  readonly onFailure: OnFailure;
  readonly shadow: boolean;
}

/** The same interceptor, asked and recorded in the trail but never enforced: a way to try a guard on real calls. */
export function shadow(interceptor: Interceptor): Interceptor {
  const { name, tools, effect, events, timeoutMs, intercept, review } = interceptor;
  return {
    name,
    tools,
    effect,
    events,
    timeoutMs,
    shadow: true,
    intercept: intercept.bind(interceptor),
    ...(review && { review: review.bind(interceptor) }),
  };
}

/** A participant's place in a chain: what was read of it once, so that a later change of it has no effect. */
export interface Seat extends ParticipantInfo {
  /** What the chain tells about it. */
  readonly info: ParticipantInfo;
  /** Absent: every request of its events and tools. */
  readonly concerns: RequestFilter | undefined;
  /** Infinity: the participant keeps its own deadline. */
  readonly timeoutMs: number;
  /** The rank as a number; the lower, the earlier. */
  readonly order: number;
  ask(request: HookRequest, context: AskContext): unknown;
}

const DEFAULT_TIMEOUT_MS = 5000;
const RANKS: readonly ParticipantRank[] = ["interceptor", "global", "workspace"];
const EVENTS: readonly HookEvent[] = ["pre_tool_use", "post_tool_use"];

/** What an interceptor is where a hook may differ. */
const INTERCEPTOR: {
  readonly kind: "interceptor";
  readonly rank: ParticipantRank;
  readonly input?: undefined;
  readonly onFailure?: undefined;
} = { kind: "interceptor", rank: "interceptor" };

/** Gives a participant its seat. @throws HookError `invalid_participant`. */
export function takeSeat(participant: Participant): Seat {
  const { name, tools, effect, shadow = false } = participant;
  if (typeof name !== "string" || name === "") throw invalid("", "a participant needs a name");
  const { kind, rank, input, onFailure = "deny" } = isHook(participant) ? participant : INTERCEPTOR;
  knownWords(name, [rank], RANKS);
  const info: ParticipantInfo = Object.freeze({
    who: `${kind} '${name}'`,
    name,
    kind,
    rank,
    events: eventsOf(participant),
    tools: tools && Object.freeze([...tools]),
    effect: effect && knownWords(name, effect, CALL_EFFECTS),
    onFailure,
    shadow,
  });
  return Object.freeze({
    ...info,
    info,
    concerns: requestFilter({ effect: info.effect, input }),
    order: RANKS.indexOf(rank),
    timeoutMs: timeoutOf(participant, kind),
    ask: methodOf(participant),
  });
}

function isHook(participant: Participant): participant is HookParticipant {
  return "kind" in participant && participant.kind === "hook";
}

function timeoutOf({ name, timeoutMs }: Participant, kind: ParticipantInfo["kind"]): number {
  const chosen = timeoutMs ?? (kind === "hook" ? Number.POSITIVE_INFINITY : DEFAULT_TIMEOUT_MS);
  if (chosen > 0) return chosen;
  throw invalid(name, `'${name}' needs a timeoutMs above 0`);
}

function methodOf(participant: Participant): Seat["ask"] {
  const { name, intercept, review } = participant;
  if (typeof intercept !== "function") throw invalid(name, `'${name}' needs an intercept method`);
  return (request, context) =>
    review !== undefined && request.event === "post_tool_use"
      ? review.call(participant, request, context)
      : intercept.call(participant, request, context);
}

function eventsOf({ name, events, review }: Participant): readonly HookEvent[] {
  if (events === undefined) return review === undefined ? ["pre_tool_use"] : EVENTS;
  return knownWords(name, events, EVENTS);
}

/** A frozen copy of words that are all among those there are. */
function knownWords<Word extends string>(
  name: string,
  words: readonly Word[],
  there: readonly Word[],
): readonly Word[] {
  const unknown = words.find((word) => !there.includes(word));
  if (unknown === undefined) return Object.freeze([...words]);
  throw invalid(name, `'${name}' names '${unknown}'; there are ${there.join(", ")}`);
}

function invalid(name: string, message: string): HookError {
  return new HookError("invalid_participant", message, { details: { name } });
}
