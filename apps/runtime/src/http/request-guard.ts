import type { OwnHosts } from "./own-hosts.ts";
import { headersOf, type RequestHeaders } from "./request-headers.ts";

/** A request as it came, before anything was made of it. */
export interface RawRequest {
  readonly method: string;
  /** The target of the request line, as it was sent. */
  readonly target: string;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
}

/** What a server lets in. */
export interface GuardRules {
  readonly hosts: OwnHosts;
  readonly isToken: (given: string) => boolean;
}

/** Why a request is not let in. */
export interface HttpRefusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 421 | 431 | 500 | 503;
  /** A name for programs. */
  readonly error: string;
  /** What to do about it. */
  readonly message: string;
  /** What else a program may want to know. */
  readonly facts?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a path is for. */
interface Route {
  readonly methods: readonly string[];
  readonly needsToken: boolean;
  /** The parameters that may stand in the query. */
  readonly query: readonly string[];
  /** True where a browser may come from elsewhere, to look at the page at the top of a window. */
  readonly isPage: boolean;
}

const reading = ["GET", "HEAD"];
const page: Route = { methods: reading, needsToken: false, query: [], isPage: true };
const routes: ReadonlyMap<string, Route> = new Map([
  ["/rpc", { methods: ["POST"], needsToken: true, query: [], isPage: false }],
  ["/events", { methods: ["GET"], needsToken: true, query: ["session", "after"], isPage: false }],
  ["/healthz", { methods: reading, needsToken: false, query: [], isPage: false }],
]);

/**
 * Looks at a request before anything is read of its body or of the store. Answers why it is not let in; undefined for
 * one that is.
 */
export function guardRequest(request: RawRequest, rules: GuardRules): HttpRefusal | undefined {
  const headers = headersOf(request.rawHeaders);
  if ("error" in headers) return headers;
  const target = readTarget(request.target);
  if (target === undefined)
    return refuse(400, "bad_target", "the target must be a plain path of this server");
  const route = routes.get(target.path) ?? page;
  return (
    refuseHost(headers, rules.hosts) ??
    refuseForeignPage(headers, rules.hosts, route) ??
    refuseMethod(request.method, headers, route) ??
    refuseQuery(target.query, route) ??
    (route.needsToken ? refuseStranger(headers, rules.isToken) : undefined) ??
    (target.path === "/rpc" ? refuseContent(headers) : undefined)
  );
}

/** Makes a refusal. */
export function refuse(status: HttpRefusal["status"], error: string, message: string): HttpRefusal {
  return { status, error, message };
}

interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Paths are taken as they stand: nothing in them is decoded, and nothing leads upwards. */
const PATH = /^\/(?:[A-Za-z0-9_~-][A-Za-z0-9._~-]*(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*)?$/;

function readTarget(target: string): Target | undefined {
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  if (target.length > 4096 || !PATH.test(path)) return undefined;
  return { path, query: new URLSearchParams(mark === -1 ? "" : target.slice(mark + 1)) };
}

/** Against DNS rebinding: who comes by a name of his own is not answered. */
function refuseHost({ host }: RequestHeaders, hosts: OwnHosts): HttpRefusal | undefined {
  if (host === undefined) return refuse(400, "no_host", "a request names its host");
  if (hosts.has(host)) return undefined;
  return refuse(421, "wrong_host", "this server has another name; add the one you use with --allow-host");
}

/** A page of another origin gets nothing; a browser says which one asks. */
function refuseForeignPage(
  { origin, host, fetchSite, fetchMode, fetchDest }: RequestHeaders,
  hosts: OwnHosts,
  { isPage }: Route,
): HttpRefusal | undefined {
  const isForeign = origin !== undefined && !hosts.isOrigin(origin, host!);
  if (isForeign) return refuse(403, "wrong_origin", "only this server's own page may call it");
  if (fetchSite === undefined || fetchSite === "same-origin" || fetchSite === "none") return undefined;
  if (isPage && fetchMode === "navigate" && fetchDest === "document") return undefined;
  return refuse(403, "cross_site", "only this server's own page may call it");
}

function refuseMethod(
  method: string,
  { hasBody }: RequestHeaders,
  { methods }: Route,
): HttpRefusal | undefined {
  const allow = methods.join(", ");
  if (!methods.includes(method))
    return { ...refuse(405, "method_not_allowed", `it takes ${allow}`), headers: { allow } };
  if (method !== "POST" && hasBody) return refuse(400, "unexpected_body", `${method} has no body`);
  return undefined;
}

function refuseQuery(query: URLSearchParams, { query: known }: Route): HttpRefusal | undefined {
  const names = [...query.keys()];
  if (names.every((name) => known.includes(name)) && new Set(names).size === names.length) return undefined;
  const message =
    known.length === 0 ? "it takes no query" : `its query has ${known.join(" and ")}, each at most once`;
  return refuse(400, "bad_query", `${message}; a token stands in the Authorization header alone`);
}

function refuseStranger(
  { authorization }: RequestHeaders,
  isToken: GuardRules["isToken"],
): HttpRefusal | undefined {
  const given = /^Bearer ([!-~]{1,512})$/i.exec(authorization ?? "")?.[1];
  if (given !== undefined && isToken(given)) return undefined;
  const refusal = refuse(401, "unauthorized", "send this server's token: Authorization: Bearer TOKEN");
  return { ...refusal, headers: { "www-authenticate": "Bearer" } };
}

function refuseContent({ contentType, contentEncoding }: RequestHeaders): HttpRefusal | undefined {
  const isJson = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i.test(contentType ?? "");
  if (isJson && contentEncoding === undefined) return undefined;
  return refuse(415, "not_json", "a call is application/json in UTF-8, and not compressed");
}
