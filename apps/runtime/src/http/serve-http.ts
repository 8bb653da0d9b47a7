import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { once } from "node:events";
import { getRequestListener } from "@hono/node-server";
import { createDispatcher } from "../rpc/dispatcher.ts";
import { everyMethod } from "../rpc/methods/every-method.ts";
import type { OpenedHost } from "../rpc/server-host.ts";
import { ServerTurns } from "../rpc/server-turns.ts";
import type { Asset } from "./assets.ts";
import { streamTimes, type StreamTimes } from "./event-stream.ts";
import { EventStreams } from "./event-streams.ts";
import { httpApp } from "./http-app.ts";
import { connectionLimits, listen, makeServer, type ConnectionLimits, type HttpListener } from "./listen.ts";
import { ownHosts } from "./own-hosts.ts";
import { guardRequest, type GuardRules, type HttpRefusal } from "./request-guard.ts";
import { securityHeaders } from "./security-headers.ts";
import type { ServerAddress } from "./server-address.ts";
import { tokenCheck } from "./server-token.ts";
import { secrets } from "../secrets/secrets.ts";

/** What serving over HTTP needs. */
export interface HttpServing {
  readonly host: OpenedHost;
  readonly address: ServerAddress;
  readonly token: string;
  /** Names, with their port, under which a proxy or a tunnel reaches the server. */
  readonly allowedHosts?: readonly string[] | undefined;
  readonly assets: ReadonlyMap<string, Asset>;
  /** Ends the server in order. */
  readonly signal: AbortSignal;
  /** Told once, when it listens. */
  readonly onListening: (address: ServerAddress) => void;
  /** Told of failures that nobody foresaw. */
  readonly report: (method: string, error: unknown) => void;
  readonly limits?: ConnectionLimits | undefined;
  readonly times?: StreamTimes | undefined;
}

/** How long answers and last words may take once everything else is over. */
const FAREWELL_MS = 1000;
const SWEEP_MS = 20;

/**
 * Serves until the signal aborts. Then nobody new is let in; turns are stopped with their work kept, every call that
 * has come is answered, and every stream ends with the id that its client goes on behind.
 *
 * @throws StartError `server` when it cannot listen.
 */
export async function serveHttp(serving: HttpServing): Promise<void> {
  const { host, address, assets, signal, report } = serving;
  const limits = serving.limits ?? connectionLimits;
  const turns = host.turns ?? new ServerTurns(host.runtime, host.workspace);
  const dispatcher = createDispatcher({ methods: everyMethod({ ...host, turns }), report });
  const ending = new AbortController();
  const streams = new EventStreams(host.runtime.state, serving.times ?? streamTimes);
  const app = httpApp({ dispatcher, streams, assets, signal: ending.signal, report });
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const answer: HttpListener = (request, response) => void listener(request, response);
  let rules: GuardRules | undefined;
  const silent = new Set<Socket>();
  const server = makeServer((request, response) => {
    silent.delete(request.socket);
    if (signal.aborted) response.setHeader("connection", "close");
    guarded(request, response, { rules: rules!, answer, sendMs: limits.sendMs });
  }, limits);
  server.on("connection", (socket: Socket) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  const bound = await listen(server, address);
  rules = { hosts: ownHosts(bound, serving.allowedHosts), isToken: tokenCheck(serving.token) };
  serving.onListening(bound);
  if (!signal.aborted) await once(signal, "abort");
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  dispatcher.close();
  await turns.close();
  ending.abort(new Error("the server is ending"));
  void streams.close();
  for (const socket of silent) socket.destroy();
  // A connection is idle only once its last answer is out.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const farewell = setTimeout(() => server.closeAllConnections(), FAREWELL_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(farewell);
}

interface Guarding {
  readonly rules: GuardRules;
  readonly answer: HttpListener;
  readonly sendMs: number;
}

/** Answers a request that may come in, and sends the others away with their connection. */
function guarded(
  request: IncomingMessage,
  response: ServerResponse,
  { rules, answer, sendMs }: Guarding,
): void {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
  const { method = "", url: target = "", rawHeaders } = request;
  const refusal = guardRequest({ method, target, rawHeaders }, rules);
  if (refusal !== undefined) return sendAway(response, refusal);
  if (request.headers.expect !== undefined) response.writeContinue();
  // Whoever does not take an answer is let go.
  response.once("prefinish", () => request.socket.setTimeout(sendMs));
  answer(request, response);
}

/** The rest of what was sent is not read. */
function sendAway(response: ServerResponse, { status, error, message, headers }: HttpRefusal): void {
  const text = secrets.redact(JSON.stringify({ error, message }));
  response.writeHead(status, {
    ...headers,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    connection: "close",
  });
  response.end(response.req.method === "HEAD" ? undefined : text);
}
