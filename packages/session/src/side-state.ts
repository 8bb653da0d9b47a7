import type { JsonValue } from "@basis/core";
import { keepJson } from "./request-checks.ts";
import { SessionError } from "./session-error.ts";
import type { SessionRecord } from "./session-record.ts";

/**
 * What a fork does with a piece of side state. `share`: parent and child use one value from then on. `copy`: the child
 * starts with the value, unless it was written beyond the fork's boundary. `reset`: the child starts without.
 */
export type ForkBehaviour = "share" | "copy" | "reset";

/** A value kept beside the transcript, such as a task list. */
export interface SideState {
  readonly kind: string;
  readonly onFork: ForkBehaviour;
  readonly value: JsonValue;
  /** The transcript's length when it was written. */
  readonly position: number;
  /** Grows by one with each write, whichever session writes. */
  readonly version: number;
}

/** A value to write in place of the kind's present one. */
export interface SideStateWrite {
  readonly kind: string;
  readonly onFork: ForkBehaviour;
  readonly value: JsonValue;
  /** Refuses with `revision_conflict` when the stored version differs; 0 means that there is none. */
  readonly expectedVersion?: number | undefined;
}

/**
 * The value after a write. Pure; `existing` is what the session sees now.
 * @throws SessionError `revision_conflict` for another version than expected.
 */
export function nextSideState(
  existing: SideState | undefined,
  write: SideStateWrite,
  session: Pick<SessionRecord, "id" | "len">,
): SideState {
  const actual = existing?.version ?? 0;
  const expected = write.expectedVersion ?? actual;
  if (expected !== actual) {
    throw new SessionError(
      "revision_conflict",
      `${write.kind} of session ${session.id} is at version ${actual}, not ${expected}`,
      { details: { sessionId: session.id, expected, actual } },
    );
  }
  const { kind, onFork } = write;
  const value = keepJson(`sideState.${kind}`, write.value);
  return Object.freeze({ kind, onFork, value, position: session.len, version: actual + 1 });
}

/** What a fork at `length` does with a value: keep it as one with the parent, start with a copy, or start without. Pure. */
export function inheritance(state: SideState, length: number): ForkBehaviour {
  return state.onFork === "copy" && state.position > length ? "reset" : state.onFork;
}
