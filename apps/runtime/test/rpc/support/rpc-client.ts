import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import type { JsonObject } from "@basis/core";
import { fixedWorkspace } from "../../../src/host/live-workspace.ts";
import type { BasisEvent } from "../../../src/events/event-schema.ts";
import type { RpcErrorObject } from "../../../src/rpc/rpc-error.ts";
import { serveStdio } from "../../../src/rpc/serve-stdio.ts";
import type { TestHost } from "../../harness/test-host.ts";

/** What a server sent. */
export interface Answer {
  readonly id?: unknown;
  readonly result?: any;
  readonly error?: RpcErrorObject;
  readonly method?: string;
  readonly params?: { readonly subscription: string; readonly event: BasisEvent };
}

/** A client of a server over two streams in memory, for a test host. */
export class RpcClient {
  readonly input: PassThrough = new PassThrough();
  readonly output: PassThrough = new PassThrough();
  readonly received: (Answer | readonly Answer[])[] = [];
  readonly unforeseen: unknown[] = [];
  readonly ended: Promise<"client" | "signal">;
  readonly #ending = new AbortController();
  readonly #waiting = new Set<() => void>();
  #next = 0;
  #rest = "";

  constructor(host: TestHost) {
    const { runtime, dataDir } = host;
    const workspace = fixedWorkspace(host.facts);
    const env = { PATH: process.env["PATH"] };
    this.ended = serveStdio({
      host: { runtime, workspace, env, dataDir },
      input: this.input,
      output: this.output,
      signal: this.#ending.signal,
      onClientGone: () => undefined,
      report: (_method, error) => void this.unforeseen.push(error),
    });
    this.output.setEncoding("utf8").on("data", (text: string) => this.#take(text));
    onTestFinished(async () => {
      this.stop();
      await this.ended;
    });
  }

  /** Writes bytes as they are. */
  write(text: string | Buffer): void {
    this.input.write(text);
  }

  /** Calls; answers the whole answer. */
  async ask(method: string, params: JsonObject = {}): Promise<Answer> {
    const id = `call-${(this.#next += 1)}`;
    this.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return this.until((answer) => answer.id === id);
  }

  /** Calls; answers the result, and rejects with the error's message otherwise. */
  async call(method: string, params: JsonObject = {}): Promise<any> {
    const { error, result } = await this.ask(method, params);
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return result;
  }

  /** Calls; answers the error. */
  async refusal(method: string, params: JsonObject = {}): Promise<RpcErrorObject> {
    const { error, result } = await this.ask(method, params);
    if (error === undefined) throw new Error(`it was not refused: ${JSON.stringify(result)}`);
    return error;
  }

  /** The first message that is found. */
  async until(isFound: (answer: Answer) => boolean): Promise<Answer> {
    for (;;) {
      const found = this.received.find(
        (each): each is Answer => !Array.isArray(each) && isFound(each as Answer),
      );
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Resolves once so many messages were received; answers the last of them. */
  async nth(count: number): Promise<Answer | readonly Answer[]> {
    while (this.received.length < count) await new Promise<void>((resolve) => this.#waiting.add(resolve));
    return this.received[count - 1]!;
  }

  /** The events of a subscription so far. */
  events(subscription: string): readonly BasisEvent[] {
    return this.received.flatMap((each) => {
      const { method, params } = each as Answer;
      return method === "events/event" && params!.subscription === subscription ? [params!.event] : [];
    });
  }

  /** Resolves once a subscription has had an event of that type. */
  async saw(subscription: string, type: string): Promise<void> {
    await this.until(({ params }) => params?.subscription === subscription && params.event.type === type);
  }

  /** Ends the server by its signal. */
  stop(): void {
    this.#ending.abort();
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    for (const line of lines) this.received.push(JSON.parse(line) as Answer);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
