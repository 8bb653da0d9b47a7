import type { FrameworkMessage } from "../framework-message.ts";
import type { ModelMessage } from "../model-message-shape.ts";
import type { SessionStore } from "../store.ts";

/** How a turn is opened. */
export interface SessionTurnOptions<M extends ModelMessage = ModelMessage> {
  /** Names the process or task in refusals. */
  readonly owner: string;
  /** Committed before the model is asked: a text is the user's message. Without it the turn goes on where the last one ended. */
  readonly prompt?: string | readonly M[] | undefined;
  /** How long the session is held at most, so how long the turn may take. Default 600,000. */
  readonly ttlMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The part of a result of `generateText` or `streamText` that is kept. */
export interface AiResult<M> {
  /** ai 7: everything the run added. */
  readonly responseMessages?: readonly M[] | PromiseLike<readonly M[]> | undefined;
  /** ai 6: everything the run added, in `messages`. */
  readonly response: { readonly messages: readonly M[] } | PromiseLike<{ readonly messages: readonly M[] }>;
}

/** One turn on a session that nobody else writes to meanwhile. */
export interface SessionTurn<M extends ModelMessage = ModelMessage> {
  /** The conversation so far, the prompt included: for `messages` of `generateText`. */
  readonly messages: FrameworkMessage<M, ModelMessage>[];
  /** Commits what the run added, in one write. Call it once; with `streamText`, when the stream has ended. */
  save(result: AiResult<M>): Promise<void>;
  /** Gives the session free, saved or not; a second call does nothing. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens a turn of ai 6 or 7 on a stored session of the shape `ai-sdk/model-message@1`.
 *
 * @throws SessionError as the store does: `lease_held` while another turn is open, `open_calls` for a prompt while calls
 * wait for their results, `unknown_session` …
 */
export async function openTurn<M extends ModelMessage>(
  store: SessionStore<M>,
  sessionId: string,
  options: SessionTurnOptions<M>,
): Promise<SessionTurn<M>> {
  const { owner, prompt, ttlMs = 600_000, signal } = options;
  const lease = await store.acquireLease(sessionId, { owner, ttlMs, signal });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    await store.releaseLease(lease);
  };
  try {
    let { rev: expectedRev } = await store.head(sessionId, { signal });
    const append = async (messages: readonly M[]): Promise<void> => {
      if (messages.length === 0) return;
      ({ rev: expectedRev } = await store.append(sessionId, { lease, expectedRev, messages, signal }));
    };
    const messages: SessionTurn<M>["messages"] = [];
    for await (const { body } of store.read(sessionId, { signal })) messages.push(body);
    const asked = typeof prompt === "string" ? [{ role: "user", content: prompt } as M] : (prompt ?? []);
    await append(asked);
    messages.push(...asked);
    const save = async (result: AiResult<M>): Promise<void> => {
      await append((await result.responseMessages) ?? (await result.response).messages);
    };
    return Object.freeze({ messages, save, close, [Symbol.asyncDispose]: close });
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}
