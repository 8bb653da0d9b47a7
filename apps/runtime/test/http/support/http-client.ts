import { connect as openSocket } from "node:net";
import type { JsonObject } from "@basis/core";
import { onTestFinished } from "vitest";
import { fixedWorkspace } from "../../../src/host/live-workspace.ts";
import { loadAssets } from "../../../src/http/assets.ts";
import { streamTimes, type StreamTimes } from "../../../src/http/event-stream.ts";
import { connectionLimits, type ConnectionLimits } from "../../../src/http/listen.ts";
import { serveHttp } from "../../../src/http/serve-http.ts";
import type { ServerAddress } from "../../../src/http/server-address.ts";
import type { RpcErrorObject } from "../../../src/rpc/rpc-error.ts";
import type { TestHost } from "../../harness/test-host.ts";
import type { Client } from "../../rpc/support/client.ts";
import type { Answer } from "../../rpc/support/rpc-client.ts";

/** How a server differs from one of a command line. */
export interface HttpOptions {
  readonly limits?: Partial<ConnectionLimits>;
  readonly times?: Partial<StreamTimes>;
  readonly allowedHosts?: readonly string[];
  readonly assets?: string;
}

export const TOKEN = "0123456789abcdefghijklmnopqrstuvwxyz-TOKEN";

/** A server over HTTP for a test host, and a client of it. */
export class HttpClient implements Client {
  readonly unforeseen: unknown[] = [];
  readonly ended: Promise<void>;
  readonly address: Promise<ServerAddress>;
  readonly #ending = new AbortController();
  #next = 0;

  constructor(host: TestHost, { limits, times, allowedHosts, assets = host.dataDir }: HttpOptions = {}) {
    const { runtime, dataDir } = host;
    const workspace = fixedWorkspace(host.facts);
    let tell = (_address: ServerAddress): void => undefined;
    this.address = new Promise((resolve) => (tell = resolve));
    this.ended = serveHttp({
      host: { runtime, workspace, env: { PATH: process.env["PATH"] }, dataDir },
      address: { host: "127.0.0.1", port: 0 },
      token: TOKEN,
      allowedHosts,
      assets: loadAssets(assets),
      signal: this.#ending.signal,
      onListening: (address) => tell(address),
      report: (_method, error) => void this.unforeseen.push(error),
      limits: { ...connectionLimits, ...limits },
      times: { ...streamTimes, ...times },
    });
    onTestFinished(async () => {
      this.stop();
      await this.ended;
    });
  }

  async ask(method: string, params: JsonObject = {}): Promise<Answer> {
    const id = `call-${(this.#next += 1)}`;
    const response = await this.post(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    const answer = (await response.json()) as Answer;
    if (answer.id !== id) throw new Error(`another answer: ${JSON.stringify(answer)}`);
    return answer;
  }

  async call(method: string, params: JsonObject = {}): Promise<any> {
    const { error, result } = await this.ask(method, params);
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return result;
  }

  async refusal(method: string, params: JsonObject = {}): Promise<RpcErrorObject> {
    const { error, result } = await this.ask(method, params);
    if (error === undefined) throw new Error(`it was not refused: ${JSON.stringify(result)}`);
    return error;
  }

  /** Posts a body as it is. */
  async post(
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return this.fetch("/rpc", {
      method: "POST",
      body,
      headers: { "content-type": "application/json", ...headers },
    });
  }

  /** Fetches a path with the token. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${TOKEN}`, ...(init.headers as Record<string, string>) };
    return fetch(`${await this.origin()}${path}`, { ...init, headers });
  }

  async origin(): Promise<string> {
    const { host, port } = await this.address;
    return `http://${host}:${port}`;
  }

  /** Writes a request's bytes as they are; answers everything that comes back until the server closes. `HOST` is its name. */
  async raw(...pieces: readonly (string | Buffer)[]): Promise<string> {
    const { port } = await this.address;
    const socket = openSocket(port, "127.0.0.1");
    let answer = "";
    socket.setEncoding("latin1").on("data", (text: string) => (answer += text));
    socket.on("error", () => undefined);
    for (const piece of pieces)
      socket.write(typeof piece === "string" ? piece.replaceAll("HOST", `127.0.0.1:${port}`) : piece);
    await new Promise<void>((resolve) => socket.once("close", () => resolve()));
    return answer;
  }

  stop(): void {
    this.#ending.abort();
  }
}

/** The status of an answer in bytes; 0 for none. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}
