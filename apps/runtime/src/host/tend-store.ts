import type { Clock } from "@basis/core";
import type { CollectionReport } from "@mobkit/session";
import type { ForkReporting } from "../agent/forks/fork-session.ts";
import { relayForkEvents } from "../agent/forks/relay-forks.ts";
import { sweepForks } from "../agent/forks/sweep-forks.ts";
import { everySession } from "../store/every-session.ts";
import type { HostState } from "../store/open-state.ts";
import { forgetSessions } from "./session-removal.ts";

/** What looking after a store needs. */
export interface Tending {
  readonly state: HostState;
  readonly forks: ForkReporting["forks"];
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** What was done. */
export interface TendReport {
  /** Forks of dead processes that are seated now. */
  readonly seatedForks: number;
  /** Events about forks that nobody waits for any more. */
  readonly consumedEvents: number;
  /** Undefined when it was not due. */
  readonly collection: CollectionReport | undefined;
}

/** How long the store is left alone after its contents were looked through. */
const COLLECT_EVERY_MS = 3_600_000;

/**
 * Looks after a store: seats forks whose process died, takes their events out of the outbox, and once an hour shortens
 * deep lineages, deletes what belongs to deleted sessions, and collects what nobody reaches. Works in short transactions beside every other call; may be
 * stopped at any moment, and goes on the next time.
 */
export async function tendStore(tending: Tending, now: number = tending.clock.now()): Promise<TendReport> {
  const { state, forks, signal } = tending;
  const { store, events, ledger } = state;
  const seatedForks = await sweepForks({ forks, events, store }, { now, signal });
  const consumedEvents = await relayForkEvents({ store, events, forks, now, signal });
  const last = await ledger.lastUpkeep();
  const due = last === undefined || now - last >= COLLECT_EVERY_MS;
  if (!due) return { seatedForks, consumedEvents, collection: undefined };
  const collection = await clearOut(tending);
  await ledger.noteUpkeep(now);
  return { seatedForks, consumedEvents, collection };
}

/** Shortens lineages and removes what nobody reaches, in the transcripts and beside them. */
export async function clearOut({
  state,
  signal,
}: Pick<Tending, "state" | "signal">): Promise<CollectionReport | undefined> {
  const { upkeep } = state.store;
  const deleted: string[] = [];
  for await (const { id } of everySession(state.store, { state: "tombstone", ...(signal && { signal }) }))
    deleted.push(id);
  await forgetSessions(state, deleted);
  await upkeep?.rebase({ signal });
  return upkeep?.collect({ signal });
}

/** The upkeep of one open host. */
export interface StoreTending {
  /** Undefined when it was ended meanwhile. A call joins one that runs. Rejects with what the store throws. */
  tend(): Promise<TendReport | undefined>;
  /** Ends it at its next step, for good. Never rejects. */
  end(): Promise<void>;
}

/** Opens the upkeep of a host; nothing is done before `tend`. */
export function openTending(parts: Omit<Tending, "signal">): StoreTending {
  const ending = new AbortController();
  const { signal } = ending;
  let running: Promise<TendReport | undefined> | undefined;
  const run = async (): Promise<TendReport | undefined> => {
    try {
      return signal.aborted ? undefined : await tendStore({ ...parts, signal });
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    } finally {
      running = undefined;
    }
  };
  return {
    tend: () => (running ??= run()),
    async end() {
      ending.abort(new Error("the host closes"));
      await running?.catch(() => undefined);
    },
  };
}
