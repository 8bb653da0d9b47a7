import type { HookAnswer } from "./hook-decision.ts";
import type { HookEvent, HookRequest, PostToolRequest } from "./hook-request.ts";
import type { ParticipantFilter } from "./participant-filter.ts";

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
  readonly onFailure: OnFailure;
  readonly shadow: boolean;
}
