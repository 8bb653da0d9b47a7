import { HookError } from "./hook-error.ts";
import type { HookEvent, HookRequest } from "./hook-request.ts";
import type {
  AskContext,
  HookParticipant,
  OnFailure,
  Participant,
  ParticipantInfo,
  ParticipantRank,
} from "./interceptor.ts";
import type { ParticipantFilter } from "./participant-filter.ts";

/** A participant's place in a chain: what was read of it once, so that a later change of it has no effect. */
export interface Seat extends ParticipantInfo {
  readonly input: ParticipantFilter["input"];
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
  if (typeof name !== "string" || name === "") throw invalid("", "a participant needs a name");
  const { kind, rank, onFailure, input, timeoutMs } = isHook(participant)
    ? hookBinding(participant)
    : INTERCEPTOR;
  const order = RANKS.indexOf(rank);
  if (order < 0) throw invalid(name, `'${name}' has no known rank`);
  return Object.freeze({
    who: `${kind} '${name}'`,
    name,
    kind,
    rank,
    events: eventsOf(participant),
    tools: tools && Object.freeze([...tools]),
    onFailure,
    shadow,
    input,
    timeoutMs: timeoutOf(participant, timeoutMs),
    order,
    ask: methodOf(participant),
  });
}

/** What a chain tells about a seat. */
export function listed(seat: Seat): ParticipantInfo {
  const { who, name, kind, rank, events, tools, onFailure, shadow } = seat;
  return Object.freeze({ who, name, kind, rank, events, tools, onFailure, shadow });
}

function isHook(participant: Participant): participant is HookParticipant {
  return "kind" in participant && participant.kind === "hook";
}

function hookBinding({ rank, onFailure = "deny", input }: HookParticipant): Binding {
  const predicates = input && Object.freeze({ ...input });
  return { kind: "hook", rank, onFailure, input: predicates, timeoutMs: Number.POSITIVE_INFINITY };
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
