import type { TranscriptRow } from "@mobkit/session";
import type { ModelMessage } from "../../providers/model.ts";
import { summaryFacts } from "../../providers/summary-message.ts";
import type { HostStore } from "../../store/host-store.ts";

/** The newest message that somebody said: the host's own summaries are nobody's, and leave nothing to answer. */
export async function lastRow(
  store: HostStore,
  sessionId: string,
  length: number,
): Promise<TranscriptRow<ModelMessage> | undefined> {
  for (let position = length - 1; position >= 0; position -= 1)
    for await (const row of store.read(sessionId, { from: position, to: position + 1 }))
      if (summaryFacts(row.body) === undefined) return row;
  return undefined;
}
