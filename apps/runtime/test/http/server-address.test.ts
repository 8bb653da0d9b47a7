import { describe, expect, it } from "vitest";
import { startRefusal } from "../../src/http/listen.ts";
import { isHostName } from "../../src/http/own-hosts.ts";
import { canonicalHost, isLoopback, isWildcard, parseAddress } from "../../src/http/server-address.ts";
import { randomToken, tokenCheck, weaknessOf } from "../../src/http/server-token.ts";

describe("an address", () => {
  it.each([
    ["127.0.0.1:0", { host: "127.0.0.1", port: 0 }],
    ["8080", { host: "127.0.0.1", port: 8080 }],
    ["localhost:8080", { host: "127.0.0.1", port: 8080 }],
    ["[::1]:8080", { host: "::1", port: 8080 }],
    ["0.0.0.0:65535", { host: "0.0.0.0", port: 65_535 }],
  ])("is read from %s", (text, address) => {
    expect(parseAddress(text)).toEqual(address);
  });

  it.each([
    "",
    ":80",
    "127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:65536",
    "127.0.0.1:-1",
    "::1:80",
    "[127.0.0.1]:80",
    "agent.example:80",
    "http://127.0.0.1:80",
    "127.0.0.1:8o",
    "1.2.3:80",
    "[::1]",
  ])("is not read from %j", (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  it("is reached from this machine alone, or not", () => {
    const own = ["127.0.0.1", "127.9.9.9", "::1", "0:0:0:0:0:0:0:1"];
    const others = ["0.0.0.0", "::", "10.0.0.1", "fe80::1", "128.0.0.1", "localhost"];
    expect([...own, ...others].filter(isLoopback)).toEqual(own);
    expect([...own, ...others, "0:0::0"].filter(isWildcard)).toEqual(["0.0.0.0", "::", "0:0::0"]);
    expect(canonicalHost("0:0:0:0:0:0:0:1")).toBe("[::1]");
  });

  it.each([
    ["EADDRINUSE", "another program does"],
    ["EADDRNOTAVAIL", "no such address"],
    ["EACCES", "from 1024 on"],
    ["EMFILE", "too many files"],
  ])("that cannot be listened at is refused for %s with what to do", (code, says) => {
    const error = Object.assign(new Error("too many files"), { code });
    const refusal = startRefusal(error, { host: "::1", port: 80 });
    expect(refusal.message).toContain("[::1]:80");
    expect(refusal).toMatchObject({ code: "server", exitCode: 5, message: expect.stringContaining(says) });
  });

  it("of a proxy is a name, an address or either with a port", () => {
    const names = ["agent.example", "agent.example:8443", "localhost:1", "10.0.0.1:80", "[::1]:80"];
    const others = ["", "a b", "http://a", "a/b", "a:", "a:123456", "*", "-a", "a,b"];
    expect([...names, ...others].filter(isHostName)).toEqual(names);
  });
});

describe("a token", () => {
  it("that is made is strong, and never made again", () => {
    const tokens = Array.from({ length: 100 }, randomToken);
    expect(tokens.map(weaknessOf)).toEqual(tokens.map(() => undefined));
    expect(new Set(tokens).size).toBe(100);
  });

  it.each([
    ["short", "has 5 characters"],
    ["a".repeat(64), "different characters"],
    ["abcdefghij".repeat(5), "repeats itself"],
    ["correct horse battery staple and more", "cannot have"],
    ["x".repeat(600), "has 600 characters"],
  ])("that was set by hand to %s is too weak", (token, why) => {
    expect(weaknessOf(token)).toContain(why);
  });

  it.each(["3f9d0c5be3f14a1c9e6a8f7d2b4c6e80", "mJ8x/4Zt+Qb2v6Wc0KfYhS1nRpLdUeGa7TiOoXq3VwE="])(
    "that was set by hand to %s is strong enough",
    (token) => {
      expect(weaknessOf(token)).toBeUndefined();
    },
  );

  it("is told from every other, of whatever length", () => {
    const isToken = tokenCheck("right");
    expect(["right", "righ", "right ", "", "x".repeat(10_000)].map(isToken)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
