import { everySession } from "../store/every-session.ts";
import type { HostStore } from "../store/host-store.ts";
import type { HostState } from "../store/open-state.ts";

/** Where messages that are redacted as a whole stand: by id their position, undefined for one that was cancelled. */
type WholePlaces = ReadonlyMap<string, number | undefined>;

interface ToldSummary {
  readonly id: string;
  readonly session: string;
  readonly summarised: number;
}

/**
 * Ids of the summary rows, of whichever session, that stand for one of these messages and that a log tells. What was cancelled in
 * the named session is taken to be in each of its summaries.
 */
export async function toldSummaries(
  state: Pick<HostState, "store" | "events">,
  named: string,
  { places, signal }: { readonly places: WholePlaces; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  if (places.size === 0) return [];
  const told = await summariesIn(state);
  if (told.length === 0) return [];
  const readable = new Set<string>();
  for await (const { id } of everySession(state.store, { signal })) readable.add(id);
  const over: string[] = [];
  for (const summary of told) {
    const isOver = async ([id, position]: readonly [string, number | undefined]): Promise<boolean> =>
      position === undefined
        ? summary.session === named
        : position < summary.summarised &&
          readable.has(summary.session) &&
          (await stands(state.store, { session: summary.session, id, position }, signal));
    for (const place of places)
      if (await isOver(place)) {
        over.push(summary.id);
        break;
      }
  }
  return over;
}

async function summariesIn({ events }: Pick<HostState, "events">): Promise<readonly ToldSummary[]> {
  const told = new Map<string, ToldSummary>();
  const look = { dryRun: true };
  await events.rewrite(
    ["compaction_finished"],
    ({ type, session, data }) => {
      if (type === "compaction_finished")
        told.set(data.message_id, { id: data.message_id, session, summarised: data.summarised });
      return undefined;
    },
    look,
  );
  return [...told.values()];
}

/** A message has the same position in every session that shares it. */
async function stands(
  store: HostStore,
  { session, id, position }: { readonly session: string; readonly id: string; readonly position: number },
  signal: AbortSignal,
): Promise<boolean> {
  for await (const row of store.read(session, { from: position, to: position + 1, signal }))
    return row.id === id;
  return false;
}
