import type { ServerResponse } from "node:http";
import type { BasisEvent } from "../events/event-schema.ts";
import type { HostState } from "../store/open-state.ts";
import { CursorLost, type EventCursor } from "./event-cursor.ts";
import { PendingDeltas } from "./pending-deltas.ts";
import { SseOutput } from "./sse-output.ts";

/** How patient a stream is, in milliseconds. */
export interface StreamTimes {
  /** How often the log is looked at for what other processes wrote, where nobody tells of it. */
  readonly pollMs: number;
  /** How often a silent stream shows that it lives. */
  readonly beatMs: number;
  /** How long a reader may leave a full queue where it is. */
  readonly stallMs: number;
  /** How long it has for the rest after its stream has ended. */
  readonly graceMs: number;
}

/** The patience of a server. */
export const streamTimes: StreamTimes = { pollMs: 500, beatMs: 15_000, stallMs: 30_000, graceMs: 5000 };

/** What a stream is made of. */
export interface EventStreamParts {
  readonly state: Pick<HostState, "store" | "events" | "changes">;
  /** How much was redacted in the store when it was opened. */
  readonly redactions: number;
  readonly cursor: EventCursor;
  readonly response: ServerResponse;
  readonly times: StreamTimes;
}

/**
 * The events that a client follows, as server-sent events. What has a number comes from the log, in order and once,
 * and waits there while the reader is behind: at most 256 KiB and one event are queued. Deltas, which have none, are
 * left out then, and their count is told. A reader that leaves its queue full is cut off with the id it goes on behind.
 */
export class EventStream {
  /** Resolves when the stream is over. */
  readonly over: Promise<void>;
  readonly #cursor: EventCursor;
  readonly #output: SseOutput;
  readonly #times: StreamTimes;
  readonly #pending = new PendingDeltas();
  readonly #stop: readonly (() => void)[];
  readonly #lookMs: number;
  readonly #store: HostState["store"];
  /** How many redactions were told, and how many there were at the last look. */
  #toldRedactions: number;
  #seenRedactions: number;
  #isScheduled = false;
  #isOver = false;
  #reading: Promise<void> | undefined;
  /** Somebody asked for a reading while one was under way. */
  #isAsked = false;
  #silentMs = 0;
  #fullMs = 0;
  #unlookedMs = 0;

  constructor({ state: { store, events, changes }, redactions, cursor, response, times }: EventStreamParts) {
    this.#store = store;
    this.#toldRedactions = redactions;
    this.#seenRedactions = redactions;
    this.#cursor = cursor;
    this.#times = times;
    this.#output = new SseOutput(response);
    this.#output.control({ control: "open", last_id: cursor.lastId });
    if (redactions > 0) this.#output.control({ control: "redactions", count: redactions });
    this.#lookMs = changes.lookEveryMs(times.pollMs);
    const timer = setInterval(() => void this.#look(), times.pollMs);
    this.#stop = [
      () => clearInterval(timer),
      events.listen((event) => this.#hear(event)),
      changes.listen((change) => {
        if (change === undefined || ("session" in change && cursor.covers(change))) this.#schedule();
      }),
    ];
    const drained = (): void => {
      this.#fullMs = 0;
      this.#schedule();
    };
    this.over = new Promise((resolve) => {
      response.on("drain", drained).once("close", () => {
        this.#close();
        resolve();
      });
    });
    this.#schedule();
  }

  /** Gives what the log still holds, as far as there is room, and ends the stream with a last word. */
  async end(control: string): Promise<void> {
    if (this.#isOver) return;
    await this.#pump();
    if (this.#isOver) return;
    this.#output.control({ control, last_id: this.#cursor.lastId });
    this.#close();
    this.#output.end(this.#times.graceMs);
  }

  #close(): void {
    this.#isOver = true;
    for (const step of this.#stop) step();
  }

  #hear(event: BasisEvent): void {
    if (!this.#cursor.covers(event)) return;
    this.#pending.hear(event);
    this.#schedule();
  }

  /** A listener may not read the log: the rest of its batch is not told yet. */
  #schedule(): void {
    if (this.#isScheduled || this.#isOver) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#pump();
    });
  }

  async #look(): Promise<void> {
    const { pollMs, beatMs, stallMs } = this.#times;
    this.#unlookedMs += pollMs;
    if (this.#unlookedMs >= this.#lookMs) await Promise.all([this.#pump(), this.#lookForRedactions()]);
    if (this.#isOver) return;
    this.#fullMs = this.#output.hasRoom ? 0 : this.#fullMs + pollMs;
    if (this.#fullMs > stallMs) return this.#cutOff();
    this.#silentMs += pollMs;
    if (this.#silentMs < beatMs || !this.#output.hasRoom) return;
    this.#silentMs = 0;
    this.#output.beat();
  }

  /** Told a look later than it is seen: the last texts of a redaction go from the log behind those of its messages. */
  async #lookForRedactions(): Promise<void> {
    const count = await redactionsOf(this.#store).catch(() => this.#toldRedactions);
    const isOver = count === this.#seenRedactions;
    this.#seenRedactions = count;
    if (!isOver || count === this.#toldRedactions || this.#isOver) return;
    this.#toldRedactions = count;
    this.#output.control({ control: "redacted", count });
  }

  #cutOff(): void {
    this.#output.control({ control: "cut_off", last_id: this.#cursor.lastId });
    this.#close();
    this.#output.end(this.#times.graceMs);
  }

  /** Reads the log on, one reading at a time: who asks meanwhile has it read once more. */
  #pump(): Promise<void> {
    this.#isAsked = true;
    this.#reading ??= this.#read();
    return this.#reading;
  }

  async #read(): Promise<void> {
    while (this.#isAsked && !this.#isOver) {
      this.#isAsked = false;
      this.#unlookedMs = 0;
      await this.#readOn();
    }
    this.#reading = undefined;
  }

  async #readOn(): Promise<void> {
    try {
      if (this.#output.hasRoom) await this.#sendWaiting();
      if (!this.#output.hasRoom) this.#pending.skipAll();
    } catch (error) {
      if (error instanceof CursorLost) this.#lose(error);
      // A log that cannot be read now is read the next time: nothing of it is lost.
    }
  }

  #lose({ lastId }: CursorLost): void {
    this.#output.control({ control: "reset", last_id: lastId });
    this.#close();
    this.#output.end(this.#times.graceMs);
  }

  async #sendWaiting(): Promise<void> {
    this.#pending.begin();
    for await (const { id, event } of this.#cursor.advance()) {
      if (this.#isOver) return;
      this.#sendDeltas(this.#pending.before(event));
      this.#output.event(event, id);
      this.#silentMs = 0;
      if (!this.#output.hasRoom) return;
    }
    if (!this.#isOver) this.#sendDeltas(this.#pending.rest());
  }

  #sendDeltas({ deltas, skipped }: ReturnType<PendingDeltas["rest"]>): void {
    if (skipped > 0) this.#output.control({ control: "skipped", deltas: skipped });
    for (const delta of deltas) this.#output.event(delta);
    if (deltas.length > 0) this.#silentMs = 0;
  }
}

/** How many redactions a store has seen: each takes texts out of events that readers may hold. */
export async function redactionsOf({ upkeep }: Pick<HostState["store"], "upkeep">): Promise<number> {
  return (await upkeep?.generation()) ?? 0;
}
