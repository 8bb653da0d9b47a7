import type { JsonValue } from "@basis/core";

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

/** A value to write; `undefined` leaves nothing out: a removed kind is written as null. */
export interface SideStateWrite {
  readonly kind: string;
  readonly onFork: ForkBehaviour;
  readonly value: JsonValue;
  /** Refuses with `revision_conflict` when the stored version differs; 0 means that there is none. */
  readonly expectedVersion?: number | undefined;
}
