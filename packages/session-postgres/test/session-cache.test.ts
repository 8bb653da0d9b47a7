import { blankSession } from "@mobkit/session/rules";
import { expect, test } from "vitest";
import { SessionCache } from "../src/session-cache.ts";

const known = (id: string, version: number) => ({
  key: 1,
  version,
  record: blankSession(id, 0),
});

test("what is kept is found, until it is forgotten; an older version never takes a newer one's place", () => {
  const cache = new SessionCache();
  cache.keep(known("a", 2));
  cache.keep(known("a", 1));
  expect(cache.get("a")?.version).toBe(2);
  cache.keep(known("a", 3));
  expect(cache.get("a")?.version).toBe(3);
  cache.forget("a");
  expect(cache.get("a")).toBeUndefined();
});

test("the session that was written longest ago goes first when there are too many", () => {
  const cache = new SessionCache();
  for (let at = 0; at < 1024; at += 1) cache.keep(known(`s${at}`, 1));
  cache.keep(known("s0", 2));
  cache.keep(known("new", 1));
  expect([cache.get("s0")?.version, cache.get("s1"), cache.get("new")?.version]).toEqual([2, undefined, 1]);
});
