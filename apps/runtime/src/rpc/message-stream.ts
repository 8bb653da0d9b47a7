import type { Readable, Writable } from "node:stream";
import { isJsonObject, type JsonObject } from "@basis/core";
import { errorObject } from "./error-object.ts";
import { LineInput } from "./line-input.ts";
import { LineOutput } from "./line-output.ts";
import { RpcError, type RpcErrorObject } from "./rpc-error.ts";
import { isId, parseMessage, readId, type RpcId } from "./rpc-message.ts";

/** Most requests that wait for their answers at once; more are refused, notifications never. */
const MAX_IN_FLIGHT = 64;

/** What a stream of messages is made of. */
export interface MessageStreamOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** A refusal in the numbers of the protocol. */
  readonly refusal: (
    object: RpcErrorObject,
  ) => Pick<RpcErrorObject, "code" | "message"> & { readonly data?: unknown };
}

/**
 * A protocol's messages over two streams, one a line, each strict JSON. What is no message is answered here, and the
 * next line is read as if nothing had been. While the client does not read, it is not read from either.
 */
export class MessageStream<Message extends object> {
  readonly readable: ReadableStream<Message>;
  readonly writable: WritableStream<Message>;
  /** Resolves when the client has closed its end, or can no longer read. */
  readonly gone: Promise<void>;
  readonly #lines: LineOutput;
  readonly #release: () => void;
  readonly #refusal: MessageStreamOptions["refusal"];
  /** Requests of the client that are not answered yet, by their ids as text. */
  readonly #waiting = new Set<string>();
  #controller!: ReadableStreamDefaultController<Message>;
  #whenAnswered: (() => void) | undefined;

  constructor({ input, output, refusal }: MessageStreamOptions) {
    this.#refusal = refusal;
    this.#lines = new LineOutput(output);
    this.readable = new ReadableStream<Message>({
      start: (controller) => void (this.#controller = controller),
    });
    this.writable = new WritableStream<Message>({ write: (message) => this.#write(message) });
    const reader = new LineInput({
      line: (text) => this.#receive(text),
      unreadable: (problem) =>
        this.#refuse(new RpcError("parse_error", problem, { kind: "unreadable_line" })),
    });
    const take = (chunk: Buffer): void => {
      reader.take(chunk);
      if (!this.#lines.hasRoom) input.pause();
    };
    const silence = this.#lines.onRoom(() => {
      if (this.#lines.hasRoom && input.listenerCount("data") > 0) input.resume();
    });
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

  /** False while the client is behind: what it can do without is left out then. */
  get hasRoom(): boolean {
    return this.#lines.hasRoom;
  }

  /** Takes no more messages. */
  stop(): void {
    this.#release();
  }

  /** Resolves once every request that came has its answer, or nobody reads any more. */
  answered(): Promise<void> {
    if (this.#waiting.size === 0 || !this.#lines.isOpen) return Promise.resolve();
    return new Promise((resolve) => (this.#whenAnswered = resolve));
  }

  /** A request that gets no answer, since its sender took it back. */
  forget(id: RpcId): void {
    this.#answer(id);
  }

  /** Resolves once everything has gone out. */
  flush(): Promise<void> {
    return this.#lines.flush();
  }

  #receive(text: string): void {
    try {
      const message = readMessage(text);
      this.#admit(message);
      this.#controller.enqueue(message as Message);
    } catch (error) {
      this.#refuse(error);
    }
  }

  /** Notes a request; another of the same id would be answered in its place. */
  #admit(message: JsonObject): void {
    if (!Object.hasOwn(message, "method") || !Object.hasOwn(message, "id")) return;
    const id = JSON.stringify(message["id"]);
    if (this.#waiting.has(id))
      throw new RpcError(
        "invalid_request",
        `a request with the id ${id.slice(0, 260)} waits for its answer`,
        {
          kind: "id_in_use",
        },
      );
    if (this.#waiting.size >= MAX_IN_FLIGHT)
      throw new Overloaded(
        new RpcError(
          "overloaded",
          `${MAX_IN_FLIGHT} requests wait already: send it again when one is answered`,
        ),
        readId(message),
      );
    this.#waiting.add(id);
  }

  #refuse(error: unknown): void {
    const [cause, id] = error instanceof Overloaded ? [error.refusal, error.id] : [error, null];
    const { code, message, data } = this.#refusal(errorObject(cause)!);
    this.#lines.send(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } }));
  }

  async #write(message: Message): Promise<void> {
    this.#lines.send(JSON.stringify(message));
    const { id, method } = message as { readonly id?: RpcId; readonly method?: string };
    if (id !== undefined && method === undefined) this.#answer(id);
    if (this.#lines.isOpen && !this.#lines.hasRoom) await this.#room();
  }

  #answer(id: RpcId): void {
    this.#waiting.delete(JSON.stringify(id));
    if (this.#waiting.size === 0) this.#whenAnswered?.();
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      const silence = this.#lines.onRoom(() => {
        if (this.#lines.isOpen && !this.#lines.hasRoom) return;
        silence();
        if (!this.#lines.isOpen) this.#whenAnswered?.();
        resolve();
      });
    });
  }
}

/** A refusal that goes to the request itself. */
class Overloaded extends Error {
  readonly refusal: RpcError;
  readonly id: RpcId;

  constructor(refusal: RpcError, id: RpcId) {
    super(refusal.message);
    this.refusal = refusal;
    this.id = id;
  }
}

/** @throws RpcError `parse_error`, `invalid_request`. */
function readMessage(text: string): JsonObject {
  const { value, unsafeIntegers } = parseMessage(text);
  const [lost] = unsafeIntegers;
  if (lost !== undefined)
    throw new RpcError("invalid_request", `the whole number at ${lost} is beyond 2^53 and lost digits`, {
      pointer: lost,
    });
  if (Array.isArray(value)) throw new RpcError("invalid_request", "the protocol has no batches");
  if (!isJsonObject(value)) throw new RpcError("invalid_request", "a message is an object");
  requireEnvelope(value);
  return value;
}

/** What passes here is answered under its own id. */
function requireEnvelope(message: JsonObject): void {
  if (message["jsonrpc"] !== "2.0") throw new RpcError("invalid_request", '"jsonrpc" must be "2.0"');
  if (Object.hasOwn(message, "id") && !isId(message["id"]))
    throw new RpcError("invalid_request", '"id" must be a number, null or a text of at most 256 characters');
  if (Object.hasOwn(message, "method") && typeof message["method"] !== "string")
    throw new RpcError("invalid_request", '"method" must be a text');
}
