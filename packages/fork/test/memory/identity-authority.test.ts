import { describe, expect, it } from "vitest";
import { memoryIdentityAuthority } from "../../src/memory/index.ts";
import { gate, settle } from "../support/provisioners.ts";

const signal = new AbortController().signal;

describe("memoryIdentityAuthority", () => {
  it("owns an identity's name and every generated alias of it, and nothing else", async () => {
    const authority = memoryIdentityAuthority();
    authority.register("review:a");
    const owner = { identity: "review:a", generation: 0, state: "active" };
    for (const alias of ["review:a", "rt:review:a:0", "rt:review:a:7"])
      expect(await authority.resolveAlias(alias, { signal })).toEqual(owner);
    for (const alias of ["review", "rt:review:0", "rt:review:a", "constructor"])
      expect(await authority.resolveAlias(alias, { signal })).toBeUndefined();
    expect(authority.generatedAlias("review:a")).toBe("rt:review:a:0");
  });

  it("starts a new generation with a reset, and names the state on the way", async () => {
    const authority = memoryIdentityAuthority();
    authority.register("a");
    const busy = gate();
    const reset = authority.reset("a", () => busy.passed);
    await settle();
    expect(await authority.resolveAlias("a", { signal })).toMatchObject({
      state: "resetting",
      generation: 0,
    });
    busy.open();
    await reset;
    expect(await authority.resolveAlias("a", { signal })).toMatchObject({ state: "active", generation: 1 });
  });

  it("lets one holder in at a time, and a waiter give up", async () => {
    const authority = memoryIdentityAuthority();
    authority.register("a");
    const first = await authority.holdLifecycle("a", { signal });
    const leaving = new AbortController();
    const given = authority.holdLifecycle("a", { signal: leaving.signal });
    const removed = authority.remove("a");
    leaving.abort(new Error("gone"));
    await expect(given).rejects.toThrow("gone");
    expect(await authority.resolveAlias("a", { signal })).toMatchObject({ state: "active" });
    first.release();
    await removed;
    expect(await authority.resolveAlias("a", { signal })).toMatchObject({ state: "deleted" });
  });

  it("tells of an identity that nobody registered", async () => {
    await expect(memoryIdentityAuthority().reset("ghost")).rejects.toThrow(/no identity "ghost"/);
  });
});
