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
  const { review } = interceptor;
  const { name, tools, effect, events, timeoutMs } = interceptor;
  return {
    name,
    tools,
    effect,
    events,
    timeoutMs,
    shadow: true,
    intercept: (request: HookRequest, context: AskContext) => interceptor.intercept(request, context),
    ...(review && {
      review: (request: PostToolRequest, context: AskContext) => review.call(interceptor, request, context),
    }),
  };
}

/** A participant's place in a chain: what was read of it once, so that a later change of it has no effect. */
export interface Seat extends ParticipantInfo {
  /** What the chain tells about it. */
  readonly info: ParticipantInfo;
  /** Absent: every request of its events and tools. */
  readonly concerns: RequestFilter | undefined;
  /** Absent: the participant keeps its own deadline. */
  readonly timeoutMs: number | undefined;
  /** The rank as a number; the lower, the earlier. */
  readonly order: number;
  ask(request: HookRequest, context: AskContext): unknown;
}

const DEFAULT_TIMEOUT_MS = 5000;
/** The longest delay a timer can hold; beyond it there is no deadline. */
const MAX_TIMEOUT_MS = 2_147_483_647;
const RANKS: readonly ParticipantRank[] = ["interceptor", "global", "workspace"];
const EVENTS: readonly HookEvent[] = ["pre_tool_use", "post_tool_use"];

/** What differs between the bindings. */
interface Binding {
  readonly kind: "interceptor" | "hook";
  readonly rank: ParticipantRank;
  readonly onFailure: OnFailure;
  readonly input: ParticipantFilter["input"];
  readonly timeoutMs: number;
}

const INTERCEPTOR: Binding = {
  kind: "interceptor",
  rank: "interceptor",
  onFailure: "deny",
  input: undefined,
  timeoutMs: DEFAULT_TIMEOUT_MS,
};

/** Gives a participant its seat. @throws HookError `invalid_participant`. */
export function takeSeat(participant: Participant): Seat {
  const { name, tools, shadow = false } = participant;
  const effect = effectOf(participant);
  if (typeof name !== "string" || name === "") throw invalid("", "a participant needs a name");
  const { kind, rank, onFailure, input, timeoutMs } = isHook(participant)
    ? hookBinding(participant)
    : INTERCEPTOR;
  const order = RANKS.indexOf(rank);
  if (order < 0) throw invalid(name, `'${name}' has no known rank`);
  const info: ParticipantInfo = Object.freeze({
    who: `${kind} '${name}'`,
    name,
    kind,
    rank,
    events: eventsOf(participant),
    tools: tools && Object.freeze([...tools]),
    effect,
    onFailure,
    shadow,
  });
  return Object.freeze({
    ...info,
    info,
    concerns: requestFilter({ effect, input }),
    order,
    timeoutMs: timeoutOf(participant, timeoutMs),
    ask: methodOf(participant),
  });
}

function isHook(participant: Participant): participant is HookParticipant {
  return "kind" in participant && participant.kind === "hook";
}

function hookBinding({ rank, onFailure = "deny", input }: HookParticipant): Binding {
  return { kind: "hook", rank, onFailure, input, timeoutMs: Number.POSITIVE_INFINITY };
}

function effectOf({ name, effect }: Participant): readonly CallEffect[] | undefined {
  const unknown = effect?.find((word) => !CALL_EFFECTS.includes(word));
  if (unknown === undefined) return effect && Object.freeze([...effect]);
  throw invalid(
    name,
    `'${name}' asks for an unknown effect '${unknown}'; there are ${CALL_EFFECTS.join(", ")}`,
  );
}

function timeoutOf({ name, timeoutMs }: Participant, byDefault: number): number | undefined {
  const chosen = timeoutMs ?? byDefault;
  if (!(chosen > 0)) throw invalid(name, `'${name}' needs a timeoutMs above 0`);
  return chosen > MAX_TIMEOUT_MS ? undefined : chosen;
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
  for (const event of events) {
    if (!EVENTS.includes(event)) throw invalid(name, `'${name}' asks for an unknown event '${event}'`);
  }
  return Object.freeze([...events]);
}

function invalid(name: string, message: string): HookError {
  return new HookError("invalid_participant", message, { details: { name } });
}
