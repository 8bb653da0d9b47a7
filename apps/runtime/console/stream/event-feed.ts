import type { Connection } from "./connection.ts";
import { SseParser, type Frame } from "./sse-parser.ts";

/** What a feed tells. */
export interface FeedListener {
  /** An event, as the text that was sent. */
  onEvent(text: string): void;
  /** It follows the log from here on, or goes on behind what it saw last. */
  onOpen(): void;
  /** Something was redacted in the log: what was read before may hold it. */
  onRedacted(): void;
  onLost(why: string, againAt: number): void;
  onRefused(why: string, remedy: string): void;
}

/** What to do about a token that the host does not know. */
export const unknownToken = {
  why: "The host does not know this page's token.",
  remedy: "Each start has a token of its own: open the address that 'basis serve' printed last.",
} as const;

/** Waits before each try after a loss, in milliseconds; the last one stays. */
const WAITS_MS = [250, 500, 1000, 2000, 4000, 8000];

/** A stream that says nothing for so long is lost: the host says something every 15 seconds. */
const SILENT_MS = 40_000;

interface Control {
  readonly control: string;
  readonly last_id?: string;
  readonly count?: number;
}

/** Follows the events of a host with fetch, since a token may stand in a header alone, and comes back after a loss. */
export class EventFeed {
  readonly #connection: Connection;
  readonly #listener: FeedListener;
  #lastId: string | undefined;
  #tries = 0;
  /** How many redactions the host has told of, and how many streams it has opened: what was before the first was never read. */
  #redactions = 0;
  #opened = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: Connection, listener: FeedListener) {
    this.#connection = connection;
    this.#listener = listener;
    connection.signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
    void this.#follow();
  }

  /** Tries now instead of later. */
  retry(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    void this.#follow();
  }

  async #follow(): Promise<void> {
    const { fetch, signal: letGo } = this.#connection;
    const gone = new AbortController();
    const signal = AbortSignal.any([letGo, gone.signal]);
    try {
      const response = await fetch("/events", { headers: this.#headers(), signal });
      if (response.status === 409) return this.#rewind();
      if (!response.ok || response.body === null) return await this.#answered(response);
      await this.#read(response.body, gone);
      this.#lose("the host closed the stream");
    } catch (error) {
      if (!letGo.aborted) this.#lose(error instanceof Error ? error.message : String(error));
    }
  }

  #headers(): Record<string, string> {
    const seen = this.#lastId === undefined ? {} : { "last-event-id": this.#lastId };
    return { authorization: `Bearer ${this.#connection.token}`, accept: "text/event-stream", ...seen };
  }

  async #read(body: ReadableStream<Uint8Array>, gone: AbortController): Promise<void> {
    const parser = new SseParser();
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (;;) {
      const silence = setTimeout(() => gone.abort(new Error("the host has gone silent")), SILENT_MS);
      const { done, value } = await reader.read().finally(() => clearTimeout(silence));
      if (done) return;
      for (const frame of parser.push(decoder.decode(value, { stream: true }))) this.#take(frame);
    }
  }

  #take({ event, id, data }: Frame): void {
    if (event !== "control") {
      if (id !== undefined) this.#lastId = id;
      return this.#listener.onEvent(data);
    }
    const { control, last_id: lastId, count = 0 } = JSON.parse(data) as Control;
    if (control === "open") {
      this.#lastId ??= lastId;
      this.#tries = 0;
      this.#opened += 1;
      this.#listener.onOpen();
    }
    if (control === "redactions" || control === "redacted") {
      const isBefore = control === "redactions" && this.#opened === 1;
      if (count !== this.#redactions && !isBefore) this.#listener.onRedacted();
      this.#redactions = count;
    }
    if (control === "reset") this.#lastId = undefined;
  }

  /** What was seen last is gone from the log: it is followed from its end, and the rest read anew. */
  #rewind(): void {
    this.#lastId = undefined;
    void this.#follow();
  }

  async #answered(response: Response): Promise<void> {
    const { message = "" } = (await response.json().catch(() => ({}))) as { message?: string };
    if (response.status === 401) return this.#listener.onRefused(unknownToken.why, unknownToken.remedy);
    this.#lose(`${response.status} ${message}`.trim());
  }

  #lose(why: string): void {
    const wait = WAITS_MS[Math.min(this.#tries, WAITS_MS.length - 1)]!;
    this.#tries += 1;
    this.#listener.onLost(why, Date.now() + wait);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#follow();
    }, wait);
  }
}
