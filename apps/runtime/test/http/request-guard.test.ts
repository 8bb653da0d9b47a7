import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ownHosts } from "../../src/http/own-hosts.ts";
import { guardRequest, type RawRequest } from "../../src/http/request-guard.ts";

const hosts = ownHosts({ host: "127.0.0.1", port: 4000 }, ["agent.example:8443"]);
const rules = { hosts, isToken: (given: string) => given === "right" };

type Headers = Readonly<Record<string, string>>;

function request(
  method: string,
  target: string,
  headers: Headers = {},
  more: readonly string[] = [],
): RawRequest {
  const all = { Host: "127.0.0.1:4000", Authorization: "Bearer right", ...headers };
  return { method, target, rawHeaders: [...Object.entries(all).flat(), ...more] };
}

const call = (headers: Headers = {}, more: readonly string[] = []): RawRequest =>
  request("POST", "/rpc", { "Content-Type": "application/json", ...headers }, more);
const verdict = (asked: RawRequest): string => guardRequest(asked, rules)?.error ?? "let in";

describe("the guard lets in", () => {
  it.each<[string, RawRequest]>([
    ["a call with the token", call()],
    [
      "a call of the server's own page",
      call({ Origin: "http://127.0.0.1:4000", "Sec-Fetch-Site": "same-origin" }),
    ],
    ["a call by another name of this machine", call({ Host: "localhost:4000" })],
    [
      "a call in upper case",
      call({ Host: "LOCALHOST:4000", "Content-Type": "Application/JSON; charset=UTF-8" }),
    ],
    ["a call through a proxy", call({ Host: "agent.example:8443", Origin: "https://agent.example:8443" })],
    ["a stream", request("GET", "/events?session=a&after=3")],
    ["a stranger who asks whether it runs", request("GET", "/healthz", { Authorization: "" })],
    ["a stranger who looks at the page", request("HEAD", "/", { Authorization: "" })],
    [
      "a link from elsewhere to the page",
      request("GET", "/", {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
      }),
    ],
    ["an address that was typed", request("GET", "/", { "Sec-Fetch-Site": "none" })],
    ["a file of the page", request("GET", "/assets/console-1.0.js", { "Sec-Fetch-Site": "same-origin" })],
  ])("%s", (_what, asked) => {
    expect(verdict(asked)).toBe("let in");
  });
});

// S38
describe("the guard turns away", () => {
  it.each<[string, RawRequest, string]>([
    ["no host", { ...call(), rawHeaders: ["Authorization", "Bearer right"] }, "no_host"],
    ["the name of somebody else", call({ Host: "evil.example:4000" }), "wrong_host"],
    ["its own name with another port", call({ Host: "127.0.0.1:80" }), "wrong_host"],
    ["its own name without a port", call({ Host: "127.0.0.1" }), "wrong_host"],
    ["another address of this machine", call({ Host: "10.0.0.1:4000" }), "wrong_host"],
    ["its name as the beginning of another", call({ Host: "127.0.0.1:4000.evil.example" }), "wrong_host"],
    ["a name with a user before it", call({ Host: "x@127.0.0.1:4000" }), "wrong_host"],
    ["two hosts", call({}, ["host", "127.0.0.1:4000"]), "duplicate_header"],
    ["two tokens", call({}, ["authorization", "Bearer right"]), "duplicate_header"],
    ["two origins", call({ Origin: "http://127.0.0.1:4000" }, ["ORIGIN", "null"]), "duplicate_header"],
    ["two lengths", call({ "Content-Length": "1" }, ["content-length", "2"]), "duplicate_header"],
    ["two kinds of content", call({}, ["content-type", "text/plain"]), "duplicate_header"],
    [
      "more headers than are looked at",
      call(
        {},
        Array.from({ length: 200 }, () => "x"),
      ),
      "too_many_headers",
    ],
    ["a page of elsewhere", call({ Origin: "http://evil.example" }), "wrong_origin"],
    ["a page of nowhere", call({ Origin: "null" }), "wrong_origin"],
    ["an empty origin", call({ Origin: "" }), "wrong_origin"],
    ["a page of another port", call({ Origin: "http://127.0.0.1:4001" }), "wrong_origin"],
    ["its own page by another of its names", call({ Origin: "http://localhost:4000" }), "wrong_origin"],
    [
      "its own page over TLS that it does not speak",
      call({ Origin: "https://127.0.0.1:4000" }),
      "wrong_origin",
    ],
    ["a page of another site", call({ "Sec-Fetch-Site": "cross-site" }), "cross_site"],
    ["a page of another port of this machine", call({ "Sec-Fetch-Site": "same-site" }), "cross_site"],
    [
      "a form that was sent from elsewhere",
      call({ "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" }),
      "cross_site",
    ],
    [
      "a frame of another page",
      request("GET", "/", {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "iframe",
      }),
      "cross_site",
    ],
    ["a script of another page", request("GET", "/a.js", { "Sec-Fetch-Site": "same-site" }), "cross_site"],
    ["a read of the calls", request("GET", "/rpc"), "method_not_allowed"],
    ["a question before a call of another page", request("OPTIONS", "/rpc"), "method_not_allowed"],
    ["a body to the page", request("POST", "/"), "method_not_allowed"],
    ["a body behind a read", request("GET", "/", { "Content-Length": "5" }), "unexpected_body"],
    [
      "a body in pieces behind a read",
      request("GET", "/", { "Transfer-Encoding": "chunked" }),
      "unexpected_body",
    ],
    ["no token", call({ Authorization: "" }), "unauthorized"],
    ["another token", call({ Authorization: "Bearer wrong" }), "unauthorized"],
    ["the token and more", call({ Authorization: "Bearer right right" }), "unauthorized"],
    ["the token in another scheme", call({ Authorization: "Basic right" }), "unauthorized"],
    ["the token as a cookie", call({ Authorization: "", Cookie: "token=right" }), "unauthorized"],
    ["a stream without a token", request("GET", "/events", { Authorization: "" }), "unauthorized"],
    ["the token in the query of a call", request("POST", "/rpc?token=right"), "bad_query"],
    ["the token in the query of a stream", request("GET", "/events?access_token=right"), "bad_query"],
    ["the token in the query of the page", request("GET", "/?token=right"), "bad_query"],
    ["a parameter twice", request("GET", "/events?after=1&after=2"), "bad_query"],
    ["a form", call({ "Content-Type": "application/x-www-form-urlencoded" }), "not_json"],
    ["text, which any page may send", call({ "Content-Type": "text/plain" }), "not_json"],
    ["JSON and more", call({ "Content-Type": "application/json, text/plain" }), "not_json"],
    ["no kind of content", call({ "Content-Type": "" }), "not_json"],
    ["another encoding", call({ "Content-Type": "application/json; charset=utf-16" }), "not_json"],
    ["something compressed", call({ "Content-Encoding": "gzip" }), "not_json"],
  ])("%s", (_what, asked, error) => {
    expect(verdict(asked)).toBe(error);
  });

  it.each([
    "http://127.0.0.1:4000/rpc",
    "//evil.example/rpc",
    "*",
    "",
    "rpc",
    "/../etc/passwd",
    "/a/../../etc/passwd",
    "/./rpc",
    "/%2e%2e/etc/passwd",
    "/%2E%2E%2fetc/passwd",
    "/..%5c..%5cetc",
    "/a\\..\\b",
    "/.git/config",
    "/a//b",
    "/a/",
    "/rpc#x",
    "/a%00.js",
    "/a\u0000b",
    "/ä",
    `/${"a".repeat(5000)}`,
  ])("the target %j", (target) => {
    expect(verdict(request("GET", target))).toBe("bad_target");
  });

  it("every path that is not plain, whatever it is made of", () => {
    const piece = fc.constantFrom(
      "..",
      ".",
      "%2e",
      "%2F",
      "%",
      "\\",
      "/",
      "a",
      "b.js",
      "",
      ";",
      " ",
      "\t",
      "@",
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
        const target = `/${pieces.join("/")}`;
        const isPlain = target
          .slice(1)
          .split("/")
          .every((name) => /^[\w~-][\w.~-]*$/.test(name));
        expect(verdict(request("GET", target)) === "bad_target").toBe(!isPlain && target !== "/");
      }),
    );
  });

  it("whoever comes by a name that is not the server's, whatever else is right", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii" }), (host) => {
        fc.pre(!["127.0.0.1:4000", "localhost:4000", "[::1]:4000"].includes(host.trim().toLowerCase()));
        expect(["wrong_host", "no_host"]).toContain(verdict(call({ Host: host })));
      }),
    );
  });
});

describe("the names of a server", () => {
  it("on all addresses are every literal one with its port, and no name that somebody may bind", () => {
    const all = ownHosts({ host: "0.0.0.0", port: 4000 });
    const given = ["10.1.2.3:4000", "[fe80::1]:4000", "localhost:4000"];
    expect(given.map((host) => all.has(host))).toEqual([true, true, true]);
    const others = [
      "10.1.2.3:80",
      "10.1.2.3",
      "rebound.example:4000",
      "999.1.1.1:4000",
      "10.1.2.3.nip.example:4000",
    ];
    expect(others.filter((host) => all.has(host))).toEqual([]);
  });

  it("on one address of the network are that address and those that were allowed", () => {
    const one = ownHosts({ host: "192.0.2.7", port: 80 }, ["Agent.Example"]);
    expect(["192.0.2.7:80", "192.0.2.7", "agent.example"].map((host) => one.has(host))).toEqual([
      true,
      true,
      true,
    ]);
    expect(["localhost:80", "127.0.0.1:80", "192.0.2.8:80"].filter((host) => one.has(host))).toEqual([]);
  });
});
