import type { FrameworkMessage } from "../framework-message.ts";
import type { AgentItem } from "../shapes/openai-agents-shape.ts";
import type { SessionStore } from "../store.ts";
import { rowsOf, settledBefore } from "./item-rows.ts";

/** How a session is opened. */
export interface OpenSessionOptions {
  /** Names the process or task in refusals. */
  readonly owner: string;
  /** How long the session is held at most. Default 600,000. */
  readonly ttlMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A `Session` of OpenAI Agents on a stored session that nobody else writes to meanwhile. */
export interface StoredSession<Item extends AgentItem = AgentItem> {
  getSessionId(): Promise<string>;
  /** The conversation, or its last `limit` items. */
  getItems(limit?: number): Promise<FrameworkMessage<Item, AgentItem>[]>;
  /** Commits items in one write. @throws SessionError `open_calls` for a prompt while calls wait for their results … */
  addItems(items: readonly Item[]): Promise<void>;
  /** Takes back the last item and answers it. Its row is rolled back, and kept for the forks that reach it. */
  popItem(): Promise<FrameworkMessage<Item, AgentItem> | undefined>;
  /** Rolls back to the beginning. @throws SessionError `invalid_boundary` for a fork, which keeps what it inherited. */
  clearSession(): Promise<void>;
  /** Gives the session free; a second call does nothing. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens a stored session of the shape `openAiAgentsShape` for the `session` of a run.
 *
 * @throws SessionError as the store does: `lease_held` while somebody else has it open, `unknown_session` …
 */
export async function openSession<Item extends AgentItem>(
  store: SessionStore<readonly Item[]>,
  sessionId: string,
  options: OpenSessionOptions,
): Promise<StoredSession<Item>> {
  const { owner, ttlMs = 600_000, signal } = options;
  const lease = await store.acquireLease(sessionId, { owner, ttlMs, signal });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await store.releaseLease(lease);
  };
  try {
    let { rev: expectedRev } = await store.head(sessionId, { signal });
    const read = async (): Promise<Item[][]> => {
      const rows: Item[][] = [];
      for await (const { body } of store.read(sessionId, { signal })) rows.push([...body]);
      return rows;
    };
    const rollBack = async (to: number, items: readonly Item[], reason: string): Promise<void> => {
      const request = { lease, expectedRev, to, reason, messages: rowsOf(items), signal };
      ({ rev: expectedRev } = await store.cancel(sessionId, request));
    };
    return Object.freeze({
      getSessionId: async () => sessionId,
      getItems: async (limit?: number) => {
        const items = (await read()).flat();
        return limit === undefined ? items : items.slice(Math.max(items.length - Math.max(limit, 0), 0));
      },
      addItems: async (items: readonly Item[]) => {
        if (items.length === 0) return;
        const request = { lease, expectedRev, messages: rowsOf(items), signal };
        ({ rev: expectedRev } = await store.append(sessionId, request));
      },
      popItem: async () => {
        const rows = await read();
        const to = settledBefore(rows, rows.length - 1);
        const items = rows.slice(to).flat();
        const last = items.pop();
        if (last !== undefined) await rollBack(to, items, "the last item was taken back");
        return last;
      },
      clearSession: async () => rollBack(0, [], "the conversation was cleared"),
      close,
      [Symbol.asyncDispose]: close,
    });
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}
