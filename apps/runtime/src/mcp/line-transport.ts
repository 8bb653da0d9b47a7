import { deserializeMessage, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import type { Clock } from "@basis/core";
import type { RunningProgram, ServerProgram, StartProgram } from "./server-program.ts";

/** Most bytes of one message: 8 MiB. */
export const MAX_MESSAGE_BYTES: number = 8 * 1024 * 1024;
/** Most bytes of lines that are no messages. */
const MAX_NOISE_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;
const CLOSED = "it was closed";

/** What a transport over a program is made of. */
export interface LineTransportParts {
  readonly program: ServerProgram;
  readonly start: StartProgram;
  readonly clock: Clock;
}

/**
 * Messages as lines of a program's input and output. Lines that are no messages are passed over; a message that is too
 * long, or too many such lines, end the program.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  readonly #parts: LineTransportParts;
  #running: RunningProgram | undefined;
  #pieces: Buffer[] = [];
  #held = 0;
  #noise = 0;
  readonly #inbox: JSONRPCMessage[] = [];
  #isWaiting = false;
  #end: string | undefined;

  constructor(parts: LineTransportParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const { program, start, clock } = this.#parts;
    const listener = {
      output: (chunk: Buffer) => this.#take(chunk),
      ended: (reason: string) => this.#close(reason),
    };
    this.#running = start(program, listener, clock);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#running === undefined || this.#end !== undefined)
      throw new Error(this.#end ?? "it was not started");
    await this.#running.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    const running = this.#running;
    this.#close(CLOSED);
    await running?.stop();
  }

  /** Why it ended of itself, with the end of what the program printed as errors. */
  endReason(): string | undefined {
    if (this.#end === undefined || this.#end === CLOSED) return undefined;
    const tail = this.#running?.errorTail().trim() ?? "";
    return tail === "" ? this.#end : `${this.#end}; its last errors: ${tail}`;
  }

  #take(chunk: Buffer): void {
    let rest = chunk;
    for (let at = rest.indexOf(NEWLINE); at !== -1; at = rest.indexOf(NEWLINE)) {
      this.#hold(rest.subarray(0, at));
      if (this.#end !== undefined) return;
      this.#line(Buffer.concat(this.#pieces, this.#held).toString("utf8"));
      this.#pieces = [];
      this.#held = 0;
      rest = rest.subarray(at + 1);
    }
    this.#hold(rest);
  }

  #hold(piece: Buffer): void {
    if (this.#end !== undefined) return;
    this.#held += piece.length;
    if (piece.length > 0) this.#pieces.push(piece);
    if (this.#held > MAX_MESSAGE_BYTES)
      this.#giveUp(`it sent a message of more than ${MAX_MESSAGE_BYTES} bytes`);
  }

  #line(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      this.#noise += line.length;
      if (this.#noise > MAX_NOISE_BYTES) this.#giveUp("it prints what are no messages");
      return;
    }
    this.#deliver(message);
  }

  /** An answer comes after what the notices before it set off. */
  #deliver(message: JSONRPCMessage): void {
    if ("id" in message && this.#isWaiting) {
      this.#inbox.push(message);
      return;
    }
    this.onmessage?.(message);
    if ("id" in message || this.#isWaiting) return;
    this.#isWaiting = true;
    setImmediate(() => this.#deliverWaiting());
  }

  #deliverWaiting(): void {
    this.#isWaiting = false;
    for (const message of this.#inbox.splice(0)) this.onmessage?.(message);
  }

  #giveUp(reason: string): void {
    this.#pieces = [];
    const running = this.#running;
    this.#close(reason);
    void running?.stop();
  }

  #close(reason: string): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#deliverWaiting();
    this.onclose?.();
  }
}
