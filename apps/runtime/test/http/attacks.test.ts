import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTestHost, type TestHost } from "../harness/test-host.ts";
import { HttpClient, statusOf, TOKEN, type HttpOptions } from "./support/http-client.ts";

async function setUp(options: HttpOptions = {}) {
  const host = await openTestHost({ agents: { main: [{ text: "done" }] } });
  return { host, client: new HttpClient(host, options) };
}

const AUTH = `Authorization: Bearer ${TOKEN}\r\n`;
const CLOSE = "Connection: close\r\n";
const JSON_TYPE = "Content-Type: application/json\r\n";
const INFO = '{"jsonrpc":"2.0","id":1,"method":"server/info"}';

const get = (target: string, more = ""): string =>
  `GET ${target} HTTP/1.1\r\nHost: HOST\r\n${CLOSE}${more}\r\n`;
const post = (body: string, more = AUTH + JSON_TYPE): string =>
  `POST /rpc HTTP/1.1\r\nHost: HOST\r\n${CLOSE}${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** Every access to the store or the log of a host is counted. */
function counting(host: TestHost): { count: number } {
  const seen = { count: 0 };
  const watch = <T extends object>(target: T): T =>
    new Proxy<T>({} as T, {
      get(_empty, name) {
        seen.count += 1;
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const { state } = host.runtime;
  Object.assign(host, {
    runtime: { ...host.runtime, state: { ...state, store: watch(state.store), events: watch(state.events) } },
  });
  return seen;
}

// S38
describe("bytes that are no request of this server", () => {
  it("are turned away, and what is one is answered", async () => {
    const { client } = await setUp();
    expect(statusOf(await client.raw(get("/healthz")))).toBe(200);
    expect(await client.raw(post(INFO))).toContain('"name":"basis"');
    expect(await client.raw(get("/").replace("GET", "HEAD"))).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n$/);
    const turnedAway: readonly (readonly [number, string])[] = [
      [400, "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"],
      [400, "GET /healthz HTTP/1.0\r\n\r\n"],
      [421, "GET /healthz HTTP/1.1\r\nHost: rebound.example\r\n\r\n"],
      [400, "GET /healthz HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n"],
      [400, get("http://HOST/healthz")],
      [400, "GET http://evil.example/healthz HTTP/1.1\r\nHost: HOST\r\n\r\n"],
      [400, "OPTIONS * HTTP/1.1\r\nHost: HOST\r\n\r\n"],
      [405, "OPTIONS /rpc HTTP/1.1\r\nHost: HOST\r\nAccess-Control-Request-Method: POST\r\n\r\n"],
      [405, "TRACE / HTTP/1.1\r\nHost: HOST\r\n\r\n"],
      [0, "CONNECT evil.example:80 HTTP/1.1\r\nHost: HOST\r\n\r\n"],
      [400, get("/%2e%2e/%2e%2e/etc/passwd")],
      [400, get("/../../etc/passwd")],
      [400, get("/..%2f..%2fetc%2fpasswd")],
      [431, get("/healthz", `X-Long: ${"x".repeat(20_000)}\r\n`)],
      [431, get("/healthz", "X: y\r\n".repeat(500))],
      [431, get("/healthz", `${"X: y\r\n".repeat(1500)}Origin: http://evil.example\r\n`)],
      [400, get("/healthz", " folded: x\r\n")],
      [400, get("/healthz", "Host : HOST\r\n")],
      [400, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
      [400, "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\r\n\r\n"],
      [400, post(INFO, `${AUTH}${JSON_TYPE}Transfer-Encoding: chunked\r\n`)],
      [400, post(INFO, `${AUTH}${JSON_TYPE}Content-Length: 3\r\n`)],
      [401, post(INFO, JSON_TYPE)],
      [401, post(INFO, `${JSON_TYPE}Authorization: Bearer ${TOKEN.slice(1)}\r\n`)],
      [401, post(INFO, `${JSON_TYPE}Cookie: token=${TOKEN}\r\n`)],
      [400, get(`/events?token=${TOKEN}`)],
      [400, get("/healthz?x=1")],
      [403, post(INFO, `${AUTH}${JSON_TYPE}Origin: http://evil.example\r\n`)],
      [403, post(INFO, `${AUTH}${JSON_TYPE}Origin: null\r\n`)],
      [403, post(INFO, `${AUTH}${JSON_TYPE}Sec-Fetch-Site: same-site\r\n`)],
      [415, post(INFO, `${AUTH}Content-Type: text/plain\r\n`)],
      [404, get("/console.js")],
    ];
    for (const [status, bytes] of turnedAway) {
      const answer = await client.raw(bytes);
      expect([statusOf(answer), bytes]).toEqual([status, bytes]);
      expect(answer.toLowerCase()).not.toContain("access-control");
    }
    expect(client.unforeseen).toEqual([]);
  });

  it("cost nothing: of a stranger the store hears nothing, and the body is not read", async () => {
    const host = await openTestHost();
    const seen = counting(host);
    const client = new HttpClient(host);
    await client.address;
    const before = seen.count;
    const unsent = post("", `${JSON_TYPE}Content-Length: 3000000\r\n`).replace("Content-Length: 0\r\n", "");
    for (const bytes of [unsent, get("/events?session=writer"), get("/"), get("/healthz"), get("/x")])
      await client.raw(bytes);
    expect(seen.count).toBe(before);
    expect((await client.fetch("/events?session=none")).status).toBe(404);
    expect(seen.count).toBeGreaterThan(before);
  });

  it("that follow a refused request on its connection are not looked at", async () => {
    const { client } = await setUp();
    const answer = await client.raw(get("/x?y=1", "X: y\r\n").replace(CLOSE, ""), post(INFO));
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });
});

describe("every answer", () => {
  it.each([
    ["/healthz", 200],
    ["/", 200],
    ["/none", 404],
    ["/rpc", 405],
    ["/?x", 400],
  ])("of %s has the headers that keep pages apart", async (path, status) => {
    const { client } = await setUp();
    const { status: answered, headers } = await client.fetch(path);
    expect(answered).toBe(status);
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'self';.*frame-ancestors 'none'/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(
      [...headers.keys()].filter((name) => /access-control|set-cookie|server|powered/.test(name)),
    ).toEqual([]);
  });

  it("to whether it runs says nothing else", async () => {
    const { client } = await setUp();
    expect(await client.raw(get("/healthz"))).toMatch(/\r\n\r\n\{"status":"ok"\}$/);
  });
});

describe("the files of a page", () => {
  it("are those that were there at the start, and nothing beside them or behind a link", async () => {
    const host = await openTestHost();
    const assets = join(dirname(host.root), "console");
    mkdirSync(join(assets, "assets"), { recursive: true });
    writeFileSync(join(assets, "index.html"), "<h1>console</h1>");
    writeFileSync(join(assets, "assets", "app.js"), "app()");
    writeFileSync(join(assets, "notes.secret"), "hidden");
    writeFileSync(join(assets, "..", "secret.js"), "hidden");
    symlinkSync("../secret.js", join(assets, "link.js"));
    const client = new HttpClient(host, { assets });
    expect(await (await client.fetch("/")).text()).toBe("<h1>console</h1>");
    const script = await client.fetch("/assets/app.js");
    expect([await script.text(), script.headers.get("content-type")]).toEqual([
      "app()",
      "text/javascript; charset=utf-8",
    ]);
    writeFileSync(join(assets, "late.js"), "late()");
    for (const path of ["/link.js", "/late.js", "/notes.secret", "/assets", "/constructor", "/__proto__"])
      expect([path, (await client.fetch(path)).status]).toEqual([path, 404]);
    for (const path of ["/../secret.js", "/assets/../../secret.js", "/%2e%2e/secret.js", "/..%2fsecret.js"])
      expect([path, statusOf(await client.raw(get(path)))]).toEqual([path, 400]);
  });
});
