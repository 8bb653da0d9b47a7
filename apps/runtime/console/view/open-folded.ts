import type { FoldedNode, RoundNode, RunNode, SessionNode } from "../state/model.ts";
import { rowKey } from "../state/row-key.ts";
import { unfold } from "../state/unfold.ts";
import { eventsOf } from "../stream/read-again.ts";
import type { Source } from "../stream/source.ts";

/** Reads rounds again that were folded away. Where its host does not answer, everything stays as it is. */
export async function openFolded(source: Source, folded: FoldedNode): Promise<void> {
  const { run, from, to } = folded;
  if (run.isOpened) return;
  run.isOpened = true;
  try {
    const events = await eventsOf(source, { session: run.session.id, from, to });
    unfold(folded, events);
  } catch {
    run.isOpened = false;
  }
  source.tell();
}

/** Opens what a row was folded away into: an address leads to it, or the way back. */
export async function openAround(source: Source, row: string): Promise<void> {
  const { sessions } = source.recording.model;
  const [kind, id = ""] = row.split(" ");
  let session = sessions.get(id);
  if (session === undefined) return;
  if (kind === "call" || kind === "round")
    await openUntil(source, [...session.runs.values()].toReversed(), (round) => isOf(round, row));
  const below = new Set<string>();
  while (session?.parent !== undefined && !below.has(session.id)) {
    const { id: child, parent }: SessionNode = session;
    below.add(child);
    session = sessions.get(parent.session);
    const run = session?.runs.get(parent.run);
    const isHolder = ({ calls }: RoundNode): boolean =>
      calls.some(({ childSession }) => childSession === child);
    if (run !== undefined) await openUntil(source, [run], isHolder);
  }
}

/** Opens runs, one behind the other, until one of them has a round. */
async function openUntil(
  source: Source,
  runs: readonly RunNode[],
  isWanted: (round: RoundNode) => boolean,
): Promise<void> {
  for (const { folded } of runs) {
    if (runs.some(({ rounds }) => rounds.some(isWanted))) return;
    if (folded !== undefined) await openFolded(source, folded);
  }
}

function isOf(round: RoundNode, row: string): boolean {
  return rowKey(round) === row || round.calls.some((call) => rowKey(call) === row);
}
