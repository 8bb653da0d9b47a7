import { newId } from "@basis/core";
import { lastSeq } from "../events/event-log.ts";
import type { BasisEvent } from "../events/event-schema.ts";
import type { HostState } from "../store/open-state.ts";
import { RpcError } from "./rpc-error.ts";

/** Where a connection's notifications go. */
export interface NotificationSink {
  /** False while the reader is behind: nothing is sent unasked then. */
  readonly hasRoom: boolean;
  send(text: string): void;
  onRoom(act: () => void): () => void;
}

/** What a feed is made of. */
export interface EventFeedOptions {
  readonly state: Pick<HostState, "events" | "changes">;
  readonly sink: NotificationSink;
  /** How often the log is looked at for what other processes wrote, where nobody tells of it. Default 500. */
  readonly pollMs?: number | undefined;
}

/** One session that is followed: every event up to and with `sent` has gone out. */
interface Followed {
  readonly id: string;
  readonly session: string;
  sent: number;
}

/** Most sessions that one connection follows. */
const MAX_FOLLOWED = 64;

/**
 * The events that a connection follows, as notifications `events/event {subscription, event}`. What has a number comes
 * from the log, in order, each once, and waits there while the reader is behind; deltas, which have none, are left out
 * then. Nothing is queued in memory beyond what the reader's stream holds.
 */
export class EventFeed {
  readonly #events: HostState["events"];
  readonly #sink: NotificationSink;
  readonly #followed = new Map<string, Followed>();
  readonly #stop: readonly (() => void)[];
  #isScheduled = false;
  #reading: Promise<void> | undefined;
  /** Somebody asked for a reading while one was under way. */
  #isAsked = false;

  constructor({ state: { events, changes }, sink, pollMs = 500 }: EventFeedOptions) {
    this.#events = events;
    this.#sink = sink;
    const timer = setInterval(() => void this.#catchUp(), changes.lookEveryMs(pollMs)).unref();
    this.#stop = [
      () => clearInterval(timer),
      events.listen((event) => this.#hear(event)),
      sink.onRoom(() => this.#schedule()),
      changes.listen((change) => {
        if (change === undefined || ("session" in change && this.#follows(change.session))) this.#schedule();
      }),
    ];
  }

  /**
   * Follows a session from behind the event of number `after`.
   *
   * @throws RpcError `fenced` when the log ends before that number, `overloaded`.
   */
  async follow(
    session: string,
    after: number,
  ): Promise<{ readonly subscription: string; readonly last_seq: number }> {
    const last = await lastSeq(this.#events, session);
    if (this.#followed.size >= MAX_FOLLOWED)
      throw new RpcError("overloaded", `a connection follows at most ${MAX_FOLLOWED} sessions`);
    if (after > last)
      throw new RpcError(
        "fenced",
        `the log ends at ${last}: what was seen of it beyond is gone, read it anew`,
        {
          kind: "events_rewound",
          last_seq: last,
        },
      );
    const id = newId();
    this.#followed.set(id, { id, session, sent: after });
    this.#schedule();
    return { subscription: id, last_seq: last };
  }

  /** Ends a subscription; false when there is none of that id. */
  unfollow(subscription: string): boolean {
    return this.#followed.delete(subscription);
  }

  /** Sends what the log still holds for the reader, as far as there is room, and ends every subscription. */
  async close(): Promise<void> {
    await this.#catchUp();
    for (const step of this.#stop) step();
    this.#followed.clear();
  }

  #follows(session: string): boolean {
    return [...this.#followed.values()].some((followed) => followed.session === session);
  }

  #hear(event: BasisEvent): void {
    for (const followed of this.#followed.values()) {
      if (followed.session !== event.session) continue;
      if (!this.#sink.hasRoom) continue;
      if (event.seq === undefined) this.#send(followed, event);
      else if (event.seq === followed.sent + 1) this.#sendNext(followed, event);
      // A listener may not read the log: the rest of its batch is not told yet.
      else if (event.seq > followed.sent) this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#catchUp();
    });
  }

  /** Reads the log on, one reading at a time: who asks meanwhile has it read once more. */
  #catchUp(): Promise<void> {
    this.#isAsked = true;
    this.#reading ??= this.#read();
    return this.#reading;
  }

  /** A log that cannot be read now is read the next time: nothing of it is lost. */
  async #read(): Promise<void> {
    while (this.#isAsked) {
      this.#isAsked = false;
      try {
        await this.#sendWaiting();
      } catch {
        // told by whatever else reads or writes the log
      }
    }
    this.#reading = undefined;
  }

  async #sendWaiting(): Promise<void> {
    for (const followed of this.#followed.values()) {
      if (!this.#sink.hasRoom) return;
      for await (const event of this.#events.read(followed.session, { after: followed.sent })) {
        if (event.seq === followed.sent + 1) this.#sendNext(followed, event);
        if (!this.#sink.hasRoom) return;
      }
    }
  }

  #sendNext(followed: Followed, event: BasisEvent): void {
    followed.sent += 1;
    this.#send(followed, event);
  }

  #send({ id }: Followed, event: BasisEvent): void {
    const params = { subscription: id, event };
    this.#sink.send(JSON.stringify({ jsonrpc: "2.0", method: "events/event", params }));
  }
}
