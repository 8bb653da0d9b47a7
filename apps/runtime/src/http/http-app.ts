import type { ServerResponse } from "node:http";
import { joinSignals } from "@basis/core";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono, type Context } from "hono";
import type { Dispatcher } from "../rpc/dispatcher.ts";
import { RpcError, type RpcErrorName } from "../rpc/rpc-error.ts";
import { MAX_MESSAGE_BYTES } from "../rpc/rpc-message.ts";
import type { Asset } from "./assets.ts";
import type { EventStreams } from "./event-streams.ts";
import { noStream } from "./no-stream.ts";
import { BodyReader, type Body } from "./read-body.ts";
import { refuse, type HttpRefusal } from "./request-guard.ts";
import { secrets } from "../secrets/secrets.ts";

/** What the routes of a server work on. */
export interface HttpAppParts {
  readonly dispatcher: Dispatcher;
  readonly streams: EventStreams;
  readonly assets: ReadonlyMap<string, Asset>;
  /** Aborts when the server ends. */
  readonly signal: AbortSignal;
  /** Told of failures that nobody foresaw. */
  readonly report: (method: string, error: unknown) => void;
}

interface Env {
  readonly Bindings: HttpBindings;
}

/** Most bytes of calls that are read at once. */
const MAX_HELD_BYTES = 8 * MAX_MESSAGE_BYTES;

/** The routes of a server. A request that comes here has passed the guard. */
export function httpApp(parts: HttpAppParts): Hono<Env> {
  const { streams, assets, report } = parts;
  const app = new Hono<Env>();
  const bodies = new BodyReader(MAX_MESSAGE_BYTES, MAX_HELD_BYTES);
  app.post("/rpc", (context) => answerCall(context, bodies, parts));
  app.get("/events", async (context) => {
    const { incoming, outgoing } = context.env;
    const refusal = await streams.open(incoming, outgoing);
    return refusal === undefined ? RESPONSE_ALREADY_SENT : refused(context, refusal);
  });
  app.get("/healthz", (context) => context.json({ status: "ok" }));
  app.get("*", (context) => {
    const asset = assets.get(context.req.path);
    if (asset === undefined) return refused(context, refuse(404, "not_found", "there is nothing here"));
    const { type, bytes, gzip } = asset;
    const about = { "content-type": type, vary: "accept-encoding" };
    if (gzip === undefined || !takesGzip(context.req.header("accept-encoding")))
      return context.body(bytes, 200, about);
    return context.body(gzip, 200, { ...about, "content-encoding": "gzip" });
  });
  app.onError((error, context) => {
    report(context.req.path, error);
    return refused(context, refuse(500, "internal", "the host failed; its standard error tells how"));
  });
  return app;
}

/** Names gzip and does not give it no weight. */
function takesGzip(accepted = ""): boolean {
  return accepted.split(",").some((each) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(each));
}

/** Written without a Response in between, whose body would be a stream: that costs more than most calls. */
async function answerCall(context: Context<Env>, bodies: BodyReader, parts: HttpAppParts): Promise<Response> {
  const { incoming, outgoing } = context.env;
  const body = await bodies.read(incoming);
  if (!body.ok) return unreadable(outgoing, body.problem);
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort(new Error("the client is gone")));
  const { signal, release } = joinSignals(parts.signal, gone.signal);
  try {
    const grant = incoming.headers["basis-grant"];
    const caller = { signal, feed: noStream, ...(typeof grant === "string" && { grant }) };
    const answer = await parts.dispatcher.handle(body.text, caller);
    return answer === undefined ? sendJson(outgoing, 204) : sendJson(outgoing, 200, answer);
  } finally {
    release();
  }
}

const unreadables: Readonly<
  Record<(Body & { ok: false })["problem"], readonly [200 | 413 | 503, RpcErrorName, string]>
> = {
  too_large: [413, "parse_error", `a message has at most ${MAX_MESSAGE_BYTES} bytes`],
  busy: [503, "overloaded", "too many large calls are read at once"],
  not_utf8: [200, "parse_error", "a message must be UTF-8"],
  gone: [200, "parse_error", "the message ended before its end"],
};

/** As on the other transports: an answer to nobody, since no id could be read. */
function unreadable(outgoing: ServerResponse, problem: keyof typeof unreadables): Response {
  const [status, name, message] = unreadables[problem];
  const { object: error } = new RpcError(name, message, { kind: `message_${problem}` });
  if (status !== 200) outgoing.setHeader("connection", "close");
  return sendJson(outgoing, status, JSON.stringify({ jsonrpc: "2.0", id: null, error }));
}

function sendJson(outgoing: ServerResponse, status: 200 | 204 | 413 | 503, text?: string): Response {
  const bytes = Buffer.from(secrets.redact(text ?? ""));
  const about = { "content-type": "application/json", "content-length": bytes.length };
  outgoing.writeHead(status, text === undefined ? {} : about).end(bytes);
  return RESPONSE_ALREADY_SENT;
}

function refused(context: Context<Env>, { status, error, message, facts }: HttpRefusal): Response {
  return context.json(secrets.redactJson({ error, message, ...facts }), status);
}
