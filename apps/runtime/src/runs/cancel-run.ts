import { systemClock } from "@basis/core";
import { SessionChanges } from "../store/changes.ts";
import type { HostState } from "../store/open-state.ts";
import { rollBackRun } from "./roll-back-run.ts";
import { RunWatch, type RunFinished, type RunPlace } from "./run-watch.ts";

/** How a cancel went. `unheard`: the process that runs the turn is alive and has not ended it in time. */
export type CancelOutcome =
  | { readonly kind: "cancelled"; readonly by: "its process" | "this process" }
  | { readonly kind: "ended"; readonly end: RunFinished }
  | { readonly kind: "unheard"; readonly owner: string | null };

/** How a run is cancelled from outside. */
export interface CancelOptions {
  readonly signal: AbortSignal;
  /** Told what is waited for. */
  readonly waiting: (text: string) => void;
}

const LOOK_EVERY_MS = 100;
/** How long a process that is alive may take to end the turn. */
const HEARING_MS = 30_000;

/**
 * Cancels a run of any process, and rolls its turn back. The process that runs it is asked through the store and does
 * it; where no process works on it any more, or where it waits for an approval, this one does.
 */
export async function cancelRun(
  state: HostState,
  place: RunPlace,
  { signal, waiting }: CancelOptions,
): Promise<CancelOutcome> {
  const watch = new RunWatch(state, place);
  const changes = new SessionChanges(state.changes, place.session, LOOK_EVERY_MS);
  const startedAt = Date.now();
  let isAsked = false;
  try {
    for (;;) {
      const standing = await watch.look();
      if (standing.kind === "finished") return await settleEnded(state, place, { end: standing.end, signal });
      if (standing.kind === "lost") {
        await rollBackRun(state, place, { clock: systemClock, signal, waiting, isTold: false });
        return { kind: "cancelled", by: "this process" };
      }
      if (!isAsked) {
        await state.ledger.cancels.ask({ runId: place.run, sessionId: place.session, at: startedAt });
        isAsked = true;
      } else if (Date.now() - startedAt > HEARING_MS) return { kind: "unheard", owner: standing.owner };
      await changes.next(signal);
    }
  } finally {
    changes.end();
    if (isAsked) await state.ledger.cancels.settle(place.run);
  }
}

/** A run that parked has ended, and its turn has not. */
async function settleEnded(
  state: HostState,
  place: RunPlace,
  { end, signal }: { readonly end: RunFinished; readonly signal: AbortSignal },
): Promise<CancelOutcome> {
  if (end.data.status === "cancelled") return { kind: "cancelled", by: "its process" };
  if (end.data.status !== "parked" || !(await stillWaits(state, place))) return { kind: "ended", end };
  await rollBackRun(state, place, { clock: systemClock, signal, isTold: true });
  return { kind: "cancelled", by: "this process" };
}

/** True while nothing has run in the session since. */
async function stillWaits({ store, events }: HostState, { session, run }: RunPlace): Promise<boolean> {
  const { pendingApprovals, runTurn } = await store.head(session);
  if (pendingApprovals === 0 || runTurn !== null) return false;
  for await (const event of events.readBack(session)) if (event.run !== undefined) return event.run === run;
  return false;
}
