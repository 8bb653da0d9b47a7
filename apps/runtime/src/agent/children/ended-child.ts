import type { HostStore } from "../../store/host-store.ts";
import { lastRow } from "../transcript/last-row.ts";
import { textOf } from "../transcript/tool-message.ts";

/**
 * The last text of a child that has come to its end though its parent's process died before it heard of it; undefined
 * while there is something to go on with: an open call, a message without an answer.
 */
export async function endOfChild(store: HostStore, sessionId: string): Promise<string | undefined> {
  const { openCalls, len } = await store.head(sessionId);
  if (openCalls.length > 0) return undefined;
  const last = await lastRow(store, sessionId, len);
  return last?.body.role === "assistant" ? textOf(last.body) : undefined;
}
