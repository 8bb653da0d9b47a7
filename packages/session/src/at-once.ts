import type { CallOptions } from "./page.ts";
import type { SessionStore } from "./store.ts";

/** Calls as they are without the promises around their answers. */
type WithoutPromises<Calls> = {
  readonly [Name in keyof Calls]: Calls[Name] extends (...given: infer Given) => Promise<infer Answer>
    ? (...given: Given) => Answer
    : never;
};

type Answered =
  | "createSession"
  | "head"
  | "listSessions"
  | "setState"
  | "acquireLease"
  | "renewLease"
  | "releaseLease"
  | "append"
  | "update"
  | "cancel"
  | "adjustWork"
  | "prefix"
  | "contextMark"
  | "cancelMarks"
  | "sideState";

/** The calls of a store that never waits for anything: each answers, or throws, what the store's own answers later. */
export interface ImmediateStore<M, Tx = unknown> extends WithoutPromises<
  Pick<SessionStore<M, Tx>, Answered>
> {
  /** As `StoreUpkeep.generation`. */
  generation(options?: CallOptions): number;
}

const immediate = new WeakMap<object, ImmediateStore<never, never>>();

/**
 * A store's calls without promises, for whoever makes many in a row; undefined for a store that waits, and for a wrapper
 * around one that does not, whose own calls are then the ones to make.
 */
export function atOnce<M, Tx>(store: SessionStore<M, Tx>): ImmediateStore<M, Tx> | undefined {
  return immediate.get(store) as ImmediateStore<M, Tx> | undefined;
}

/** Says that a store never waits. */
export function answersAtOnce<M, Tx>(store: SessionStore<M, Tx>, calls: ImmediateStore<M, Tx>): void {
  immediate.set(store, calls as unknown as ImmediateStore<never, never>);
}

/** The calls with promises around their answers: what one throws is a rejection. */
export function promised<Calls extends object>(
  calls: Calls,
): {
  readonly [Name in keyof Calls]: Calls[Name] extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Promise<Answer>
    : never;
} {
  const entries = Object.entries(calls as Record<string, (...given: unknown[]) => unknown>);
  const later = entries.map(([name, call]) => [name, async (...given: unknown[]) => call(...given)]);
  return Object.fromEntries(later) as ReturnType<typeof promised<Calls>>;
}
