import type { ServerResponse } from "node:http";
import { secrets } from "../secrets/secrets.ts";

/** Bytes that may wait for a reader: 256 KiB. */
const ROOM_BYTES = 256 * 1024;

/** Frames of server-sent events to a reader that may be slow. */
export class SseOutput {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "x-accel-buffering": "no",
      connection: "close",
    });
    response.flushHeaders();
  }

  /** True while the reader keeps up. */
  get hasRoom(): boolean {
    return this.#response.writableLength < ROOM_BYTES;
  }

  /** An event; with an id the client goes on behind it. */
  event(value: unknown, id?: string): void {
    this.#write(`${id === undefined ? "" : `id: ${id}\n`}data: ${secrets.redact(JSON.stringify(value))}\n\n`);
  }

  /** A word of the server about the stream itself. It has no id, so that it moves nothing. */
  control(value: { readonly control: string; readonly [fact: string]: string | number }): void {
    this.#write(`event: control\ndata: ${secrets.redact(JSON.stringify(value))}\n\n`);
  }

  /** A comment, which keeps the connection awake and shows that it lives. */
  beat(): void {
    this.#write(":\n\n");
  }

  /** Ends the stream; what waits for the reader longer than `graceMs` is given up. */
  end(graceMs: number): void {
    const response = this.#response;
    if (response.destroyed || response.writableEnded) return;
    const timer = setTimeout(() => response.destroy(), graceMs);
    response.once("close", () => clearTimeout(timer)).end();
  }

  #write(text: string): void {
    if (!this.#response.destroyed && !this.#response.writableEnded) this.#response.write(text);
  }
}
