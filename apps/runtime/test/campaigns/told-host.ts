import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { loadAssets } from "../../src/http/assets.ts";
import type { BasisEvent, EventType } from "../../src/events/event-schema.ts";
import type { ListedSession } from "../../console/stream/source.ts";
import { builtConsole } from "../console/support/page-file.ts";
import { sampleEvent } from "../console/support/sample-events.ts";

const SESSION = "writer";
/** One round of a model and its call. */
const round: readonly EventType[] = [
  "usage",
  "assistant_message",
  "tool_queued",
  "hook_decided",
  "tool_started",
  "tool_completed",
];

/** As much of a host as the page asks: its files, its stream, and a log that begins with the stream. */
export class ToldHost {
  told = 0;
  /** How often the page read pages of the log. */
  read = 0;
  readonly #server: Server;
  readonly #streams = new Set<ServerResponse>();

  private constructor() {
    const assets = loadAssets(builtConsole);
    this.#server = createServer((request, response) => {
      if (request.url === "/events") return this.#follow(response);
      if (request.url === "/rpc") return void this.#answer(request, response);
      const asset = assets.get(request.url ?? "");
      response.writeHead(asset === undefined ? 404 : 200, { "content-type": asset?.type ?? "text/plain" });
      response.end(asset?.bytes);
    });
  }

  static async start(): Promise<ToldHost> {
    const host = new ToldHost();
    await new Promise<void>((done) => host.#server.listen(0, "127.0.0.1", done));
    return host;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/#token=told`;
  }

  /** Tells so many events more, all at once. */
  tell(count: number): void {
    let frames = "";
    for (const last = this.told + count; this.told < last;) {
      this.told += 1;
      frames += `id: ${this.told}\ndata: ${JSON.stringify(eventOf(this.told))}\n\n`;
    }
    for (const stream of this.#streams) stream.write(frames);
  }

  /** Cuts every stream off, without a last word. */
  cut(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #follow(response: ServerResponse): void {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write('event: control\ndata: {"control":"open"}\n\n');
    this.#streams.add(response);
    response.on("close", () => this.#streams.delete(response));
  }

  async #answer(request: AsyncIterable<Buffer>, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const piece of request) body += piece.toString();
    const { id, method, params } = JSON.parse(body) as Asked;
    const result = method === "sessions/list" ? this.#list() : this.#read(params);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }

  #list(): { readonly sessions: readonly ListedSession[]; readonly next: null } {
    const told = { session: SESSION, member: null, role: null, state: "idle", messages: 1, updated_at: "" };
    return { sessions: this.told === 0 ? [] : [told], next: null };
  }

  #read({ after = 0, limit = 1000 }: Asked["params"]): EventPage {
    this.read += 1;
    const last = Math.min(this.told, after + limit);
    const events = Array.from({ length: Math.max(0, last - after) }, (_, at) => eventOf(after + at + 1));
    return { events, next: last < this.told ? last : null };
  }
}

interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly after?: number; readonly limit?: number };
}

interface EventPage {
  readonly events: readonly BasisEvent[];
  readonly next: number | null;
}

/** The event of a number: a run, and round behind round in it. */
function eventOf(seq: number): BasisEvent {
  const type = seq === 1 ? "run_started" : round[(seq - 2) % round.length]!;
  const number = Math.floor((seq - 2) / round.length) + 1;
  const ts = new Date(Date.UTC(2026, 0, 1) + seq * 10).toISOString();
  return sampleEvent(type, { session: SESSION, run: "told", number }, { seq, ts });
}
