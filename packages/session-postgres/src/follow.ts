import { onAbort } from "@basis/core";
import type { SessionState } from "@mobkit/session";
import { channelOf } from "./notices.ts";
import { pause } from "./pause.ts";
import type { Server } from "./server.ts";

/**
 * What a follower is told. `resync`: anything may have happened before this moment, so read what you follow; everything
 * that commits from here on is told. It comes first, and again after every lost connection. `changed`: a session's row is
 * at this revision, length and state, or at later ones.
 */
export type StoreNotice =
  | { readonly kind: "resync" }
  | {
      readonly kind: "changed";
      readonly sessionId: string;
      readonly rev: number;
      readonly len: number;
      readonly state: SessionState;
    };

/** Whom to follow. */
export interface FollowRequest {
  /** Default: every session. */
  readonly sessionId?: string | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
}

/** Notices kept for a follower that does not read; beyond it they are dropped for one `resync`. */
const maxWaiting = 1024;

/** Follows a store's changes on a connection of its own, for as long as somebody iterates. Lost connections are made anew. */
export async function* followStore(
  server: Server,
  request: FollowRequest,
): AsyncGenerator<StoreNotice, void, undefined> {
  server.refuse();
  const queue = new NoticeQueue(request.sessionId);
  const stops = [server.closing, request.signal]
    .filter((signal) => signal !== undefined)
    .map((signal) => onAbort(signal, () => queue.end()));
  const listening = listen(server, queue);
  try {
    if (request.signal?.aborted === true) return;
    for (;;) {
      const notice = await queue.next();
      if (notice === undefined) return;
      yield notice;
    }
  } finally {
    queue.end();
    for (const stop of stops) stop();
    await listening;
  }
}

async function listen(server: Server, queue: NoticeQueue): Promise<void> {
  for (let tries = 0; !queue.ended; tries += 1) {
    try {
      await listenOnce(server, queue, () => (tries = 0));
    } catch {
      // The follower learns of it by the resync that comes with the next connection.
    }
    if (!queue.ended) await Promise.race([pause(tries), queue.whenEnded]);
  }
}

/** Until the connection is lost or the follower has gone. */
async function listenOnce(server: Server, queue: NoticeQueue, onReady: () => void): Promise<void> {
  const { client, connection } = await server.acquireApart();
  try {
    const lost = new Promise<void>((resolve) => void client.once("end", () => resolve()));
    client.on("notification", ({ payload }) => queue.push(noticeOf(payload)));
    await connection.command(`LISTEN "${channelOf(server.options.schema)}"`);
    onReady();
    queue.push({ kind: "resync" });
    await Promise.race([lost, queue.whenEnded]);
  } finally {
    connection.release();
  }
}

/** Who else may notify on the channel is no store of this release: what isn't understood means "look". */
function noticeOf(payload: string | undefined): StoreNotice {
  try {
    const [sessionId, rev, len, state] = JSON.parse(payload ?? "") as [string, number, number, SessionState];
    return Object.freeze({ kind: "changed", sessionId, rev, len, state });
  } catch {
    return { kind: "resync" };
  }
}

/** Notices on their way to one follower. */
class NoticeQueue {
  readonly whenEnded: Promise<void>;
  readonly #sessionId: string | undefined;
  #waiting: StoreNotice[] = [];
  #wake: () => void = () => undefined;
  #end: () => void = () => undefined;
  #ended = false;

  constructor(sessionId: string | undefined) {
    this.#sessionId = sessionId;
    this.whenEnded = new Promise((resolve) => (this.#end = resolve));
  }

  get ended(): boolean {
    return this.#ended;
  }

  push(notice: StoreNotice): void {
    const foreign = notice.kind === "changed" && this.#sessionId !== undefined;
    if (foreign && notice.sessionId !== this.#sessionId) return;
    const anew = notice.kind === "resync" || this.#waiting.length >= maxWaiting;
    if (anew) this.#waiting = [{ kind: "resync" }];
    else this.#waiting.push(notice);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#end();
    this.#wake();
  }

  /** The next notice; undefined at the end. */
  async next(): Promise<StoreNotice | undefined> {
    while (!this.#ended && this.#waiting.length === 0) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.#ended ? undefined : this.#waiting.shift();
  }
}
