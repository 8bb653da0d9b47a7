import type { HostStore } from "../store/host-store.ts";
import type { ModelMessage } from "../providers/model.ts";

/** The first rows of a session, as far as a run found them. */
export interface LoadedRows {
  readonly to: number;
  readonly signal: AbortSignal;
}

/** What a request is built from: the summary and what follows it where the session was compacted, else every row. */
export async function loadTranscript(
  store: HostStore,
  sessionId: string,
  { to, signal }: LoadedRows,
): Promise<ModelMessage[]> {
  const mark = await store.contextMark(sessionId, { signal });
  const messages: ModelMessage[] = [];
  if (mark !== undefined) {
    const summary = store.read(sessionId, { from: mark.position, to: mark.position + 1, signal });
    for await (const row of summary) messages.push(row.body);
  }
  for await (const row of store.read(sessionId, { from: mark?.keepFrom ?? 0, to, signal })) {
    if (row.position !== mark?.position) messages.push(row.body);
  }
  return messages;
}
