import { emptyUsage, type Clock } from "@basis/core";
import { tellMissingRows } from "../agent/turn/complete-log.ts";
import { cancelTurn } from "../agent/turn/cancel-turn.ts";
import { Cue } from "../agent/run/cue.ts";
import { lastRow } from "../agent/transcript/last-row.ts";
import type { Emit } from "../agent/run/run-context.ts";
import { beginningOf } from "../agent/turn/run-beginning.ts";
import { wireUsage } from "../agent/run/run-usage.ts";
import { SessionWriter } from "../agent/transcript/session-writer.ts";
import { everySession } from "../store/every-session.ts";
import type { HostStore } from "../store/host-store.ts";
import type { HostState } from "../store/open-state.ts";
import type { RunPlace } from "./run-watch.ts";

/** What rolling a run back from outside needs. */
export interface RollBack {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Told when the lease of a process that is gone has to run out first. */
  readonly waiting?: ((reason: string) => void) | undefined;
  /** True for a run whose log tells its end already, as that of a turn that waits for an approval. */
  readonly isTold: boolean;
}

/**
 * Rolls back a run that no process works on: its children first, then its own rows, as the process that ran it would
 * have done. Questions about its calls are closed, and what it had done to the world stays visible in a notice.
 *
 * @throws SessionError `lease_held` when somebody works on it after all.
 */
export async function rollBackRun(state: HostState, place: RunPlace, options: RollBack): Promise<void> {
  for (const child of await openChildren(state.store, place.run))
    await rollBackRun(state, child.place, { ...options, isTold: child.isTold });
  const { store, ledger, events } = state;
  const { clock, signal, waiting } = options;
  const ending = new Cue();
  const stop = (): void => ending.abort(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  let writer: SessionWriter | undefined;
  try {
    writer = await SessionWriter.open(store, place.session, { clock, ending, ...(waiting && { waiting }) });
    const scope = { session: place.session, run: place.run };
    const told = options.isTold ? { session: place.session } : scope;
    const emit: Emit = (type, data) => events.emit(told, type, data);
    await tellMissingRows({ events, store, scope, head: writer.head });
    const to = await beginningOf(store, place);
    const rolledBackTo = await cancelTurn({ writer, scope, emit, ledger, clock }, to, { store });
    if (options.isTold) emit("notice", { text: "the turn that waited was cancelled" });
    else
      emit("run_finished", {
        status: "cancelled",
        ...(rolledBackTo !== undefined && { rolled_back_to: rolledBackTo }),
        usage: { self: none, subtree: none, complete: false },
      });
  } finally {
    signal?.removeEventListener("abort", stop);
    await writer?.close();
    await events.flush();
  }
}

const none = wireUsage(emptyUsage);

interface OpenChild {
  readonly place: RunPlace;
  readonly isTold: boolean;
}

/** The children of a run that neither ended nor were rolled back. */
async function openChildren(store: HostStore, run: string): Promise<readonly OpenChild[]> {
  const found: OpenChild[] = [];
  for await (const { id, spawnedBy, runTurn, pendingApprovals, state } of everySession(store)) {
    if (spawnedBy?.runId !== run || state !== "ready") continue;
    if (runTurn !== null) found.push({ place: { session: id, run: runTurn }, isTold: false });
    else if (pendingApprovals > 0) {
      const last = await lastTurn(store, id);
      if (last !== undefined) found.push({ place: { session: id, run: last }, isTold: true });
    }
  }
  return found;
}

async function lastTurn(store: HostStore, session: string): Promise<string | undefined> {
  const { len } = await store.head(session);
  return (await lastRow(store, session, len))?.turnId ?? undefined;
}
