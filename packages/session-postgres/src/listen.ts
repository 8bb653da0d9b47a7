import { onAbort } from "@basis/core";
import { pause } from "./pause.ts";
import type { Server } from "./server.ts";

/** Anything may have happened before this moment: look. Comes first, and again after every lost connection. */
export interface Resync {
  readonly kind: "resync";
}

/** What a listener listens to. */
export interface Listening<Notice> {
  readonly channel: string;
  /** What a notification tells; undefined for one that is not this listener's. */
  noticeOf(payload: string): Notice | Resync | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Notices kept for a listener that does not read; beyond it they are dropped for one `resync`. */
const maxWaiting = 1024;

/** Listens on a connection of its own, for as long as somebody iterates. Lost connections are made anew. */
export async function* listenTo<Notice>(
  server: Server,
  listening: Listening<Notice>,
): AsyncGenerator<Notice | Resync, void, undefined> {
  server.refuse();
  const queue = new NoticeQueue<Notice>();
  const stops = [server.closing, listening.signal]
    .filter((signal) => signal !== undefined)
    .map((signal) => onAbort(signal, () => queue.end()));
  const listened = listen(server, listening, queue);
  try {
    if (listening.signal?.aborted === true) return;
    for (;;) {
      const notice = await queue.next();
      if (notice === undefined) return;
      yield notice;
    }
  } finally {
    queue.end();
    for (const stop of stops) stop();
    await listened;
  }
}

async function listen<Notice>(
  server: Server,
  listening: Listening<Notice>,
  queue: NoticeQueue<Notice>,
): Promise<void> {
  for (let tries = 0; !queue.ended; tries += 1) {
    try {
      await listenOnce(server, listening, { queue, onReady: () => (tries = 0) });
    } catch {
      // The listener learns of it by the resync that comes with the next connection.
    }
    if (!queue.ended) await Promise.race([pause(tries), queue.whenEnded]);
  }
}

/** Until the connection is lost or the listener has gone. */
async function listenOnce<Notice>(
  server: Server,
  { channel, noticeOf }: Listening<Notice>,
  { queue, onReady }: { readonly queue: NoticeQueue<Notice>; onReady(): void },
): Promise<void> {
  const { client, connection } = await server.acquireApart();
  try {
    const lost = new Promise<void>((resolve) => void client.once("end", () => resolve()));
    client.on("notification", ({ payload = "" }) => queue.push(noticeOf(payload)));
    await connection.command(`LISTEN "${channel}"`);
    onReady();
    queue.push({ kind: "resync" });
    await Promise.race([lost, queue.whenEnded]);
  } finally {
    connection.release();
  }
}

/** Notices on their way to one listener. */
class NoticeQueue<Notice> {
  readonly whenEnded: Promise<void>;
  #waiting: (Notice | Resync)[] = [];
  #wake: () => void = () => undefined;
  #end: () => void = () => undefined;
  #ended = false;

  constructor() {
    this.whenEnded = new Promise((resolve) => (this.#end = resolve));
  }

  get ended(): boolean {
    return this.#ended;
  }

  push(notice: Notice | Resync | undefined): void {
    if (notice === undefined) return;
    const anew = isResync(notice) || this.#waiting.length >= maxWaiting;
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
  async next(): Promise<Notice | Resync | undefined> {
    while (!this.#ended && this.#waiting.length === 0) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.#ended ? undefined : this.#waiting.shift();
  }
}

function isResync(notice: unknown): notice is Resync {
  return (notice as { readonly kind?: unknown }).kind === "resync";
}
