import type { ModelMessage } from "@mobkit/session";
import { manualClock } from "@basis/core/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { createForks, type Forks, type IdentityAuthority } from "../src/index.ts";
import { memoryIdentityAuthority, type MemoryIdentityAuthority } from "../src/memory/index.ts";
import { story } from "./support/messages.ts";
import { gate, recordingProvisioner, settle } from "./support/provisioners.ts";
import { refusalOf } from "./support/refusals.ts";
import { seed, snapshot } from "./support/sessions.ts";
import { stores, type Store } from "./support/stores.ts";

const child = { identity: "child", role: "general" };
const signal = new AbortController().signal;

describe.each(stores)("the source's authority on the $name store", (kind) => {
  let store: Store;
  let authority: MemoryIdentityAuthority;
  let forks: Forks<ModelMessage>;

  beforeEach(async () => {
    store = await kind.open();
    authority = memoryIdentityAuthority();
    authority.register("planner");
    forks = createForks({ store, provisioner: recordingProvisioner(), identityAuthority: authority });
    await seed(store, "planner", story);
  });

  it("lets the authority passed with the call stand before the installed one", async () => {
    // F29
    await authority.remove("planner");
    const own = memoryIdentityAuthority();
    own.register("planner");
    await refusalOf("source_authority", forks.forkMember("planner", child));
    const made = await forks.forkMember("planner", child, { identityAuthority: own });
    expect(made.memberAlias).toBe("child");
  });

  it("takes every source as raw when there is none", async () => {
    // F30
    const raw = createForks({ store, provisioner: recordingProvisioner() });
    expect((await raw.forkMember("planner", child)).memberAlias).toBe("child");
    await seed(store, "rt:worker:3", story);
    const generated = await raw.forkMember("rt:worker:3", { ...child, identity: "other" });
    expect(generated.sourceMemberAlias).toBe("rt:worker:3");
  });

  it("refuses a stale alias, and takes the current one", async () => {
    // F31
    const stale = authority.generatedAlias("planner");
    await authority.reset("planner");
    const before = await snapshot(store);
    const error = await refusalOf("source_authority", forks.forkMember(stale, child));
    expect(error.details).toEqual({ reason: "stale", sourceMemberId: stale });
    expect(error.message).toMatch(/^fork source alias authority unavailable: /);
    expect(error).toMatchObject({ committed: false, retry: "after_fix" });
    expect(error.structuredData()).toBeUndefined();
    expect(await snapshot(store)).toBe(before);
    const made = await forks.forkMember(authority.generatedAlias("planner"), child);
    expect(made.sourceMemberAlias).toBe("rt:planner:1");
  });

  it("refuses a deleted identity for good", async () => {
    // F32
    await authority.remove("planner");
    const error = await refusalOf("source_authority", forks.forkMember("planner", child));
    expect(error.details).toMatchObject({ reason: "deleted", state: "deleted" });
    expect(error.retry).toBe("never");
  });

  it("refuses a generated alias that nobody owns, and runs a plain one unlocked", async () => {
    // F33
    const error = await refusalOf("source_authority", forks.forkMember("rt:ghost:0", child));
    expect(error.details.reason).toBe("unowned");
    await seed(store, "plain", story);
    expect((await forks.forkMember("plain", child)).sourceMemberAlias).toBe("plain");
  });

  it("asks again under the lock, and refuses an identity that is gone by then", async () => {
    // F34
    const hold = await authority.holdLifecycle("planner", { signal });
    const removed = authority.remove("planner");
    const work = refusalOf("source_authority", forks.forkMember("planner", child));
    await settle();
    hold.release();
    await removed;
    expect((await work).details).toMatchObject({ reason: "deleted", state: "deleted" });
    expect(await store.members.holder("child")).toBeUndefined();
  });

  it("goes ahead of a removal that waits behind it", async () => {
    // F34
    const hold = await authority.holdLifecycle("planner", { signal });
    const work = forks.forkMember("planner", child);
    await settle();
    const removed = authority.remove("planner");
    hold.release();
    expect((await work).memberAlias).toBe("child");
    await removed;
  });

  it("names the state of an identity that is not active", async () => {
    // F35
    const busy = gate();
    const reset = authority.reset("planner", () => busy.passed);
    await settle();
    const error = await refusalOf("source_authority", forks.forkMember("planner", child));
    expect(error.details).toMatchObject({ reason: "inactive", state: "resetting" });
    expect(error.message).toContain("resetting");
    expect(error.retry).toBe("same_request");
    busy.open();
    await reset;
  });

  it("refuses a waiter behind a reset instead of leading it on to the new generation", async () => {
    // F36
    const hold = await authority.holdLifecycle("planner", { signal });
    const reset = authority.reset("planner");
    const work = refusalOf("source_authority", forks.forkMember("planner", child));
    await settle();
    hold.release();
    await reset;
    expect((await work).details.reason).toBe("stale");
    expect(await store.members.get("child")).toBeUndefined();
  });

  it("takes one lock for two aliases of one identity", async () => {
    // F37
    const building = gate();
    const { resolveAlias } = authority;
    const holdLifecycle = async () => ({ release: () => undefined }); // excludes resets, not forks
    const held = createForks({
      store,
      identityAuthority: { resolveAlias, holdLifecycle },
      provisioner: recordingProvisioner(async () => building.passed.then(() => ({}))),
    });
    const first = held.forkMember("planner", child);
    await settle();
    const second = held.forkMember(authority.generatedAlias("planner"), { ...child, identity: "second" });
    await settle();
    expect((await held.listForks()).items).toHaveLength(1);
    building.open();
    await Promise.all([first, second]);
    expect((await held.listForks({ state: "seated" })).items).toHaveLength(2);
  });

  it("gives a lifecycle that stays busy past the deadline as contended", async () => {
    const clock = manualClock();
    const timed = createForks({
      store,
      provisioner: recordingProvisioner(),
      identityAuthority: authority,
      clock,
    });
    const hold = await authority.holdLifecycle("planner", { signal });
    const work = refusalOf("source_authority", timed.forkMember("planner", child, { deadlineMs: 100 }));
    await settle();
    clock.advance(100);
    expect((await work).details.reason).toBe("contended");
    hold.release();
    expect((await timed.forkMember("planner", child, { deadlineMs: 100 })).memberAlias).toBe("child");
  });

  it("fails closed when the authority cannot answer", async () => {
    const broken: IdentityAuthority = {
      resolveAlias: () => Promise.reject(new Error("directory is down")),
      holdLifecycle: () => Promise.reject(new Error("directory is down")),
    };
    const half: IdentityAuthority = { ...authority, holdLifecycle: broken.holdLifecycle };
    for (const identityAuthority of [broken, half]) {
      const work = forks.forkMember("planner", child, { identityAuthority });
      const error = await refusalOf("source_authority", work);
      expect(error.details.reason).toBe("failed");
      expect(error.message).toContain("directory is down");
    }
    expect(await store.members.holder("child")).toBeUndefined();
  });
});
