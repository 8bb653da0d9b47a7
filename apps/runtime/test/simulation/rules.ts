import type { QueueRules } from "./model-queue.ts";

/** How long a lease lasts in the model. */
export const LEASE_MS = 3_000;

/** What the hosts keep to; a schedule that goes wrong without one of them shows what it is for. */
export interface Rules extends QueueRules {
  /** The store refuses writes of an old epoch. */
  readonly fences: boolean;
  /** It is written down before a call begins that it does. */
  readonly writesIntents: boolean;
  /** The lease is confirmed just before an effect (S24). */
  readonly confirms: boolean;
  /** A write has an id under which it may be repeated (S27). */
  readonly hasWriteIds: boolean;
  /** Whoever takes a turn looks for what was written of it. */
  readonly looksForRows: boolean;
  /** Workers look after turns of others. */
  readonly sweeps: boolean;
  /** Whether a lease has expired is asked of the clock that set the time. */
  readonly asksTheDatabasesClock: boolean;
  readonly keepsByMonotonicClock: boolean;
}

/** All of them. */
export const allRules: Rules = {
  fits: true,
  knowsIds: true,
  fences: true,
  writesIntents: true,
  confirms: true,
  hasWriteIds: true,
  looksForRows: true,
  sweeps: true,
  asksTheDatabasesClock: true,
  keepsByMonotonicClock: true,
};
