import type { HostStore } from "../store/host-store.ts";

/**
 * The last text of a child that has come to its end though its parent's process died before it heard of it; undefined
 * while there is something to go on with: an open call, a message without an answer.
 */
export async function endOfChild(store: HostStore, sessionId: string): Promise<string | undefined> {
  const { openCalls, len } = await store.head(sessionId);
  if (openCalls.length > 0) return undefined;
  for await (const { body } of store.read(sessionId, { from: Math.max(0, len - 1), to: len })) {
    if (body.role !== "assistant") return undefined;
    const { content } = body;
    if (typeof content === "string") return content;
    return content.map((part) => (part.type === "text" ? part.text : "")).join("");
  }
  return undefined;
}
