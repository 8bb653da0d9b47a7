import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { Readable, Writable } from "node:stream";
import {
  client,
  methods,
  ndJsonStream,
  RequestError,
  type ClientContext,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { onTestFinished } from "vitest";
import { entry } from "../../cli/support/basis-process.ts";
import type { Bench } from "../../cli/support/bench.ts";

/** How the person at an editor answers. */
export type Answering = (
  asked: RequestPermissionRequest,
) => RequestPermissionResponse | Promise<RequestPermissionResponse>;

/** An editor: the SDK's client over a server that was built and started. */
export class Editor {
  readonly child: ChildProcessWithoutNullStreams;
  readonly agent: ClientContext;
  readonly updates: { readonly sessionId: string; readonly update: SessionUpdate }[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  readonly ended: Promise<number | null>;
  answer: Answering = (asked) => pick(asked, "allow_once");
  stderr = "";
  readonly #waiting = new Set<() => void>();

  constructor(bench: Bench, argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, [entry, "serve", "--acp", ...argv], {
      cwd: bench.base,
      env: bench.env(env),
    });
    onTestFinished(() => void this.child.kill("SIGKILL"));
    this.child.stdin.on("error", () => undefined);
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    this.ended = new Promise((resolve) => this.child.once("close", (code) => resolve(code)));
    const stream = ndJsonStream(
      Writable.toWeb(this.child.stdin),
      Readable.toWeb(this.child.stdout) as ReadableStream<Uint8Array>,
    );
    this.agent = client({ name: "test" })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params);
        this.#wake();
      })
      .onRequest(methods.client.session.requestPermission, ({ params }) => {
        this.asked.push(params);
        this.#wake();
        return this.answer(params);
      })
      .connect(stream).agent;
  }

  /** Introduces itself; answers what the agent can do. */
  initialize(): Promise<any> {
    return this.agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
  }

  /** Introduces itself and opens a session in a folder. */
  async open(cwd: string, more: object = {}): Promise<string> {
    await this.initialize();
    const made = await this.agent.request(methods.agent.session.new, { cwd, mcpServers: [], ...more });
    return made.sessionId;
  }

  /** Sends a prompt; answers how the turn ended. */
  prompt(sessionId: string, text: string): Promise<{ readonly stopReason: string; readonly _meta?: any }> {
    const prompt = text === "" ? [] : [{ type: "text" as const, text }];
    return this.agent.request(methods.agent.session.prompt, { sessionId, prompt });
  }

  /** The updates of one kind so far. */
  of<const K extends SessionUpdate["sessionUpdate"]>(
    kind: K,
  ): Extract<SessionUpdate, { sessionUpdate: K }>[] {
    return this.updates
      .map(({ update }) => update)
      .filter((update) => update.sessionUpdate === kind) as never;
  }

  /** What the agent has said so far. */
  said(): string {
    return this.of("agent_message_chunk")
      .map(({ content }) => (content.type === "text" ? content.text : ""))
      .join("");
  }

  /** Resolves once it is so. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** Closes its end; answers the server's exit code. */
  leave(): Promise<number | null> {
    this.child.stdin.end();
    return this.ended;
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

/** The option of that kind, chosen. */
export function pick({ options }: RequestPermissionRequest, kind: string): RequestPermissionResponse {
  const { optionId } = options.find((option) => option.kind === kind)!;
  return { outcome: { outcome: "selected", optionId } };
}

/** The error that a request is answered with. */
export async function refusal(asked: Promise<unknown>): Promise<RequestError & { readonly data: any }> {
  try {
    const answer = await asked;
    throw new Error(`it was not refused: ${JSON.stringify(answer)}`);
  } catch (error) {
    if (error instanceof RequestError) return error as never;
    throw error;
  }
}
