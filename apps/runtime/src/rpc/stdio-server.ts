import type { Readable, Writable } from "node:stream";
import type { EventEmitter } from "../events/event-emitter.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { EventFeed } from "./event-feed.ts";
import { LineInput } from "./line-input.ts";
import { LineOutput } from "./line-output.ts";
import { RpcError } from "./rpc-error.ts";

/** One connection over two streams: a message a line in each direction. */
export interface StdioConnection {
  /** Resolves when the client has closed its end, or can no longer read. */
  readonly gone: Promise<void>;
  /** Takes no more messages. What came before is still answered. */
  stop(): void;
  /** Resolves once every message is answered and the answers have gone out; ends the subscriptions. */
  close(): Promise<void>;
}

/** What a connection is made of. */
export interface StdioParts {
  readonly input: Readable;
  readonly output: Writable;
  readonly dispatcher: Dispatcher;
  readonly events: EventEmitter;
  /** Aborts when the server ends. */
  readonly signal: AbortSignal;
}

/** Serves a client over two streams. While it does not read its answers, its messages are not read either. */
export function connectStdio({ input, output, dispatcher, events, signal }: StdioParts): StdioConnection {
  const lines = new LineOutput(output);
  const feed = new EventFeed({ events, sink: lines });
  const caller = { signal, feed };
  const pending = new Set<Promise<void>>();
  const reader = new LineInput({
    line(text) {
      const answering = dispatcher.handle(text, caller).then((answer) => {
        if (answer !== undefined) lines.send(answer);
        if (!lines.hasRoom) input.pause();
        pending.delete(answering);
      });
      pending.add(answering);
    },
    unreadable(problem) {
      const { object: error } = new RpcError("parse_error", problem, { kind: "unreadable_line" });
      lines.send(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
    },
  });
  const take = (chunk: Buffer): void => reader.take(chunk);
  const silence = lines.onRoom(() => void (lines.hasRoom && input.resume()));
  const gone = new Promise<void>((resolve) => {
    input.once("error", () => resolve()).once("close", () => resolve());
    input.once("end", () => {
      reader.end();
      resolve();
    });
    output.once("close", () => resolve()).once("error", () => resolve());
  });
  input.on("data", take);
  return {
    gone,
    stop() {
      silence();
      input.off("data", take).pause();
    },
    async close() {
      await Promise.all(pending);
      feed.close();
      await lines.flush();
    },
  };
}
