import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as it came over the wire. */
export interface WireRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Answers one request by hand; what is left open stays open until the server closes. */
export type WireAnswer = (response: ServerResponse, request: WireRequest) => void | Promise<void>;

/** A provider in miniature: the answers are given in order, the last one again and again. */
export class WireServer {
  readonly requests: WireRequest[] = [];
  readonly #server: Server;
  readonly #answers: readonly WireAnswer[];
  #closed = 0;

  constructor(...answers: readonly WireAnswer[]) {
    this.#answers = answers;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** How many connections were closed by the client before the answer's end. */
  get cutByClient(): number {
    return this.#closed;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received = {
      path: request.url ?? "",
      headers: request.headers,
      body: Buffer.concat(chunks).toString("utf8"),
    };
    response.on("close", () => {
      if (!response.writableFinished) this.#closed += 1;
    });
    const answer = this.#answers[Math.min(this.requests.length, this.#answers.length - 1)];
    this.requests.push(received);
    await answer?.(response, received);
  }
}

/** Starts an event stream. */
export function startStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
}

/** Writes one Anthropic event. */
export function anthropicEvent(
  response: ServerResponse,
  event: { type: string; [key: string]: unknown },
): void {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** Writes one event of OpenAI's chat wire. */
export function chatEvent(response: ServerResponse, event: unknown): void {
  response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
}

/** The opening event of an Anthropic message. */
export const messageStart = {
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 1 },
  },
};

/** Opens an Anthropic message and its first block, says the texts, and leaves it open. */
export function startTalking(response: ServerResponse, ...texts: readonly string[]): void {
  startStream(response);
  anthropicEvent(response, messageStart);
  startBlock(response, 0, { type: "text", text: "" });
  for (const text of texts) addToBlock(response, 0, { type: "text_delta", text });
}

/** Opens a block of an Anthropic message. */
export function startBlock(response: ServerResponse, index: number, block: object): void {
  anthropicEvent(response, { type: "content_block_start", index, content_block: block });
}

/** Adds a delta to a block. */
export function addToBlock(response: ServerResponse, index: number, delta: object): void {
  anthropicEvent(response, { type: "content_block_delta", index, delta });
}

/** Closes a block. */
export function endBlock(response: ServerResponse, index: number): void {
  anthropicEvent(response, { type: "content_block_stop", index });
}

/** Ends an Anthropic message in order. */
export function endMessage(response: ServerResponse, reason = "end_turn"): void {
  anthropicEvent(response, {
    type: "message_delta",
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: 5 },
  });
  anthropicEvent(response, { type: "message_stop" });
  response.end();
}

/** A whole Anthropic answer of one text. */
export function anthropicText(text: string): WireAnswer {
  return (response) => {
    startTalking(response, text);
    endBlock(response, 0);
    endMessage(response);
  };
}

/** A refusal with a status and a JSON body. */
export function refusal(status: number, body: unknown, headers: Record<string, string> = {}): WireAnswer {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };
}
