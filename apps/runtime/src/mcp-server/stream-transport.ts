import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import type { MessageStream } from "../rpc/message-stream.ts";

/** A stream of messages as the protocol's library takes them. */
export class StreamTransport implements Transport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport["onmessage"];
  readonly #stream: MessageStream<JSONRPCMessage>;
  readonly #writer: WritableStreamDefaultWriter<JSONRPCMessage>;

  constructor(stream: MessageStream<JSONRPCMessage>) {
    this.#stream = stream;
    this.#writer = stream.writable.getWriter();
  }

  async start(): Promise<void> {
    void this.#pump();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#writer.write(message);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  async #pump(): Promise<void> {
    const reader = this.#stream.readable.getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      this.#deliver(value);
    }
  }

  /** In this protocol nothing is answered under null, and a request that was taken back is not answered. */
  #deliver(message: JSONRPCMessage): void {
    const { id, method, params } = message as Loose;
    if (id === null && method !== undefined) {
      const error = { code: -32600, message: '"id" must be a number or a text' };
      void this.send({ jsonrpc: "2.0", id: null, error } as never);
      return;
    }
    this.onmessage?.(message);
    if (method === "notifications/cancelled" && isName(params?.requestId))
      this.#stream.forget(params.requestId);
  }
}

interface Loose {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly requestId?: unknown };
}

function isName(id: unknown): id is string | number {
  return typeof id === "string" || typeof id === "number";
}
