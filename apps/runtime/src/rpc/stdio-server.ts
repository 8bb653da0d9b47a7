import type { Readable, Writable } from "node:stream";
import type { Dispatcher } from "./dispatcher.ts";
import type { HostState } from "../store/open-state.ts";
import { EventFeed } from "./event-feed.ts";
import { LineInput } from "./line-input.ts";
import { LineOutput } from "./line-output.ts";
import { RpcError } from "./rpc-error.ts";
import type { RpcCaller } from "./rpc-method.ts";

/** One connection over two streams: a message a line in each direction. */
export interface StdioConnection {
  /** Resolves when the client has closed its end, or can no longer read. */
  readonly gone: Promise<void>;
  /** Takes no more messages. What came before is handed to the dispatcher now. */
  stop(): void;
  /** Resolves once every message is answered and the answers have gone out; ends the subscriptions. */
  close(): Promise<void>;
}

/** What a connection is made of. */
export interface StdioParts {
  readonly input: Readable;
  readonly output: Writable;
  readonly dispatcher: Dispatcher;
  readonly state: Pick<HostState, "events" | "changes">;
  /** Aborts when the server ends. */
  readonly signal: AbortSignal;
}

/** Most messages that are begun in one turn of the event loop, so that answers are sent in between. */
const AT_ONCE = 16;

/** Serves a client over two streams. While it does not read its answers, its messages are not read either. */
export function connectStdio(parts: StdioParts): StdioConnection {
  return new LineConnection(parts);
}

class LineConnection implements StdioConnection {
  readonly gone: Promise<void>;
  readonly #input: Readable;
  readonly #dispatcher: Dispatcher;
  readonly #lines: LineOutput;
  readonly #caller: RpcCaller & { readonly feed: EventFeed };
  /** Messages of the bytes that were read last. */
  readonly #inbox: string[] = [];
  readonly #pending = new Set<Promise<void>>();
  readonly #release: () => void;
  #isScheduled = false;

  constructor({ input, output, dispatcher, state, signal }: StdioParts) {
    this.#input = input;
    this.#dispatcher = dispatcher;
    this.#lines = new LineOutput(output);
    this.#caller = { signal, feed: new EventFeed({ state, sink: this.#lines }) };
    const reader = new LineInput({
      line: (text) => void this.#inbox.push(text),
      unreadable: (problem) => this.#refuse(problem),
    });
    const take = (chunk: Buffer): void => {
      reader.take(chunk);
      input.pause();
      this.#schedule();
    };
    const silence = this.#lines.onRoom(() => this.#schedule());
    this.#release = () => {
      silence();
      input.off("data", take).pause();
    };
    this.gone = new Promise<void>((resolve) => {
      input.once("error", () => resolve()).once("close", () => resolve());
      input.once("end", () => {
        reader.end();
        resolve();
      });
      output.once("close", () => resolve()).once("error", () => resolve());
    });
    input.on("data", take);
  }

  stop(): void {
    this.#release();
    for (const text of this.#inbox.splice(0)) this.#begin(text);
  }

  async close(): Promise<void> {
    await Promise.all(this.#pending);
    await this.#caller.feed.close();
    await this.#lines.flush();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#work();
    });
  }

  #work(): void {
    for (const text of this.#inbox.splice(0, this.#lines.hasRoom ? AT_ONCE : 0)) this.#begin(text);
    if (!this.#lines.hasRoom) return;
    if (this.#inbox.length > 0) this.#schedule();
    else if (this.#input.listenerCount("data") > 0) this.#input.resume();
  }

  #begin(text: string): void {
    const answering = this.#dispatcher.handle(text, this.#caller).then((answer) => {
      if (answer !== undefined) this.#lines.send(answer);
      this.#pending.delete(answering);
    });
    this.#pending.add(answering);
  }

  #refuse(problem: string): void {
    const { object: error } = new RpcError("parse_error", problem, { kind: "unreadable_line" });
    this.#lines.send(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
  }
}
