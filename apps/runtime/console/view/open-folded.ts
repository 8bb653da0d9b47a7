import type { FoldedNode } from "../state/model.ts";
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
