import { PassThrough } from "node:stream";
import type { ApprovalSubject, ApproverAnswer } from "@basis/approval";
import type { JsonObject } from "@basis/core";
import { onTestFinished } from "vitest";
import { fixedWorkspace } from "../../../src/host/live-workspace.ts";
import { EditorApprover } from "../../../src/acp/editor-approver.ts";
import { serveAcp } from "../../../src/acp/serve-acp.ts";
import { RecordingApprover } from "../../harness/recording-approver.ts";
import { openTestHost, type TestHost, type TestHostOptions } from "../../harness/test-host.ts";

/** One line of the server. */
export interface Line {
  readonly id?: any;
  readonly method?: string;
  readonly params?: any;
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: any };
}

/** Puts an editor in the place of the approver of a test host. */
class EditorAnswers extends RecordingApprover {
  readonly editor: EditorApprover = new EditorApprover();

  override approve(
    subject: ApprovalSubject,
    options?: { readonly signal: AbortSignal },
  ): Promise<ApproverAnswer> {
    this.asked.push(subject);
    return this.editor.approve(subject, options!);
  }
}

/** An editor that writes lines by hand, over streams in memory, for a test host. */
export class MemoryEditor {
  readonly input: PassThrough = new PassThrough();
  readonly output: PassThrough = new PassThrough();
  readonly received: Line[] = [];
  readonly unforeseen: unknown[] = [];
  readonly ended: Promise<"client" | "signal">;
  readonly host: TestHost;
  readonly #ending = new AbortController();
  readonly #waiting = new Set<() => void>();
  #next = 0;
  #rest = "";

  private constructor(host: TestHost, approver: EditorApprover, options: EditorOptions) {
    this.host = host;
    this.ended = serveAcp({
      runtime: host.runtime,
      approver,
      unstable: options.unstable ?? false,
      env: { PATH: process.env["PATH"] },
      trust: { allowed: false, unpinned: false },
      openWorkspace: async () => ({ ...fixedWorkspace(host.facts), close: async () => undefined }),
      input: this.input,
      output: this.output,
      signal: this.#ending.signal,
      onClientGone: () => undefined,
      report: (_method, error) => void this.unforeseen.push(error),
    });
    this.output.setEncoding("utf8").on("data", (text: string) => this.#take(text));
    onTestFinished(async () => {
      this.output.resume();
      this.stop();
      await this.ended;
    });
  }

  /** Opens a host with an editor at it. */
  static async open(options: TestHostOptions & EditorOptions = {}): Promise<MemoryEditor> {
    const answers = new EditorAnswers();
    const host = await openTestHost({ ...options, approver: answers });
    return new MemoryEditor(host, answers.editor, options);
  }

  write(text: string | Buffer): void {
    this.input.write(text);
  }

  send(message: object): void {
    this.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  /** Sends a request; answers its id. */
  begin(method: string, params: object = {}): string {
    const id = `call-${(this.#next += 1)}`;
    this.send({ id, method, params });
    return id;
  }

  answerOf(id: unknown): Promise<Line> {
    return this.until((line) => line.id === id && line.method === undefined);
  }

  ask(method: string, params: object = {}): Promise<Line> {
    return this.answerOf(this.begin(method, params));
  }

  /** Introduces itself and opens a session; answers its id. */
  async session(capabilities: JsonObject = {}): Promise<string> {
    await this.ask("initialize", { protocolVersion: 1, clientCapabilities: capabilities });
    const { result } = await this.ask("session/new", { cwd: this.host.root, mcpServers: [] });
    return result.sessionId;
  }

  /** Sends a prompt; answers the id of its request. */
  prompt(sessionId: string, text = "go"): string {
    return this.begin("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  }

  /** The nth question for permission, from 1. */
  async question(number = 1): Promise<Line> {
    const isQuestion = ({ method }: Line): boolean => method === "session/request_permission";
    await this.until(() => this.received.filter(isQuestion).length >= number);
    return this.received.filter(isQuestion)[number - 1]!;
  }

  /** The updates so far. */
  updates(): readonly any[] {
    return this.received.flatMap(({ method, params }) =>
      method === "session/update" ? [params.update] : [],
    );
  }

  async until(isFound: (line: Line) => boolean): Promise<Line> {
    for (;;) {
      const found = this.received.find(isFound);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Ends the server by its signal. */
  stop(): void {
    this.#ending.abort();
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    for (const line of lines) this.received.push(JSON.parse(line) as Line);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

/** How an editor behaves. */
export interface EditorOptions {
  readonly unstable?: boolean;
}
