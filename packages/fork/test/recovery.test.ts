import type { ModelMessage } from "@mobkit/session";
import { manualClock, type ManualClock } from "@basis/core/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { committedForkIsRecoverable, createForks, type ForkError, type Forks } from "../src/index.ts";
import { story } from "./support/messages.ts";
import { failing, gate, recordingProvisioner, settle, type Build } from "./support/provisioners.ts";
import { refusal, refusalOf } from "./support/refusals.ts";
import { messages, seed, snapshot } from "./support/sessions.ts";
import { stores, type Store } from "./support/stores.ts";

const child = { identity: "child", role: "general" };

describe.each(stores)("recovery on the $name store", (kind) => {
  let store: Store;
  let clock: ManualClock;

  beforeEach(async () => {
    clock = manualClock();
    store = await kind.open({ clock });
    await seed(store, "planner", story);
  });

  /** A host of its own over the same store: another process, or this one after a restart. */
  const host = (build?: Build): Forks<ModelMessage> =>
    createForks({ store, provisioner: recordingProvisioner(build), clock });

  const failedFork = (): Promise<ForkError<"fork_member_provision_failed">> =>
    refusalOf("fork_member_provision_failed", host(failing(1)).forkMember("planner", child));

  it("commits before it provisions", async () => {
    // F86
    const seen: (string | undefined)[] = [];
    const made = await host(async ({ sessionId, operationId, epoch }) => {
      seen.push((await store.head(sessionId)).state, (await store.operations.get(operationId))?.state);
      seen.push((await store.members.holder("child"))?.holder, String(epoch));
      return {};
    }).forkMember("planner", child);
    expect(seen).toEqual(["pending", "committed", "reserved", "1"]);
    expect((await store.head(made.sessionId)).state).toBe("ready");
  });

  it("fails with the handle to the committed child, which nothing deletes", async () => {
    // F87, F88
    const error = await failedFork();
    const { operationId, forkSessionId } = error.details;
    expect(error).toMatchObject({ retry: "resume", committed: true });
    expect(error.details).toEqual({
      memberId: "child",
      forkSessionId,
      operationId,
      reason: "the host is full",
    });
    expect(error.message).toContain(forkSessionId);
    expect((error.cause as Error).message).toBe("the host is full");
    expect(committedForkIsRecoverable(error)).toBe(true);
    expect(error.structuredData()).toEqual({
      kind: "fork_member_provision_failed",
      member_id: "child",
      fork_session_id: forkSessionId,
      operation_id: operationId,
      reason: "the host is full",
      recovery: "resume_committed_fork_session",
    });
    expect((await store.head(forkSessionId)).state).toBe("pending");
    expect(await host().forkStatus({ operationId })).toMatchObject({
      state: "committed",
      failure: "the host is full",
      claimedUntil: null,
    });
  });

  it("resumes by operation and by session, with the same child", async () => {
    // F89
    for (const by of ["operationId", "sessionId"] as const) {
      const identity = `child-${by}`;
      const work = host(failing(1)).forkMember("planner", { ...child, identity }, { at: 5 });
      const { details } = await refusalOf("fork_member_provision_failed", work);
      const { operationId, forkSessionId: sessionId } = details;
      const made = await host().resumeFork(by === "operationId" ? { operationId } : { sessionId });
      expect(made).toMatchObject({
        operationId,
        sessionId,
        memberAlias: identity,
        messageCount: 5,
        replayed: false,
      });
      expect(await messages(store, sessionId)).toEqual(story.slice(0, 5));
    }
  });

  it("lets another host resume what a dead one left, once its claim has run out", async () => {
    // F90, F91, S26
    const stuck = gate();
    const provisioner = recordingProvisioner(() => stuck.passed.then(() => ({ agentIdentity: "late" })));
    const dead = createForks({ store, provisioner, clock: manualClock() });
    const lost = refusal(dead.forkMember("planner", child));
    await settle();
    const [left] = (await host().listForks({ state: "committed" })).items;
    const { operationId, sessionId } = left!;
    const early = await refusalOf("fork_in_progress", host().resumeFork({ operationId }));
    expect(early).toMatchObject({ retry: "same_request", committed: true });
    await refusalOf("fork_in_progress", host().abandonFork({ operationId }));
    clock.advance(15_001);
    const made = await host().resumeFork({ operationId });
    expect(made.sessionId).toBe(sessionId);
    stuck.open();
    expect((await lost).kind).toBe("fork_member_provision_failed");
    expect(provisioner.tornDown).toEqual([{ operationId, sessionId, epoch: 1 }]);
    expect((await store.members.get("child"))?.agentIdentity).toBe("child");
    expect(await dead.resumeFork({ operationId })).toEqual({ ...made, replayed: true });
  });

  it("keeps its claim while a build takes long", async () => {
    // S26
    const stuck = gate();
    const work = host(() => stuck.passed.then(() => ({}))).forkMember("planner", child);
    await settle();
    const [left] = (await host().listForks({ state: "committed" })).items;
    for (let step = 0; step < 10; step += 1) {
      clock.advance(5000);
      await settle();
    }
    await refusalOf("fork_in_progress", host().resumeFork({ operationId: left!.operationId }));
    stuck.open();
    expect((await work).operationId).toBe(left?.operationId);
  });

  it("answers a resume of a seated fork with its child", async () => {
    const made = await host().forkMember("planner", child);
    const again = await host().resumeFork({ operationId: made.operationId }, { identity: "other" });
    expect(again).toEqual({ ...made, replayed: true });
  });

  it("renames and re-roles the child on the way", async () => {
    // F89
    const { details } = await failedFork();
    const made = await host().resumeFork(
      { operationId: details.operationId },
      { identity: "second", role: "reviewer" },
    );
    expect(made).toMatchObject({ memberAlias: "second", sessionId: details.forkSessionId });
    expect(await store.members.get("second")).toMatchObject({ role: "reviewer", sessionId: made.sessionId });
    expect(await store.members.holder("child")).toBeUndefined();
  });

  it("refuses a bad or taken name on the way, and stays resumable", async () => {
    const { operationId } = (await failedFork()).details;
    const target = { operationId };
    await refusalOf("invalid_request", host().resumeFork(target, { identity: "mk--x" }));
    await refusalOf("invalid_request", host().resumeFork(target, { role: "nobody" }));
    await refusalOf("invalid_request", host().resumeFork(target, { labels: {} } as never));
    const taken = await refusalOf(
      "member_already_exists",
      host().resumeFork(target, { identity: "planner" }),
    );
    expect(taken).toMatchObject({ committed: true, details: { memberId: "planner", holder: "seated" } });
    expect((await host().resumeFork(target)).memberAlias).toBe("child");
  });

  it("knows no fork of an unknown or ill-named id", async () => {
    const calls = (["resumeFork", "abandonFork", "forkStatus"] as const).map((name) => host()[name]);
    for (const call of calls) {
      const error = await refusalOf("fork_operation_not_found", call({ operationId: "nobody" }));
      expect(error).toMatchObject({ retry: "never", details: { operationId: "nobody" } });
      await refusalOf("invalid_request", call({} as never));
      await refusalOf("invalid_request", call({ operationId: "a", sessionId: "b" }));
    }
  });

  it("gives a committed fork up, and then neither resumes nor keeps it", async () => {
    const { operationId, forkSessionId } = (await failedFork()).details;
    const given = await host().abandonFork({ operationId });
    expect(given).toMatchObject({ state: "abandoned", sessionId: forkSessionId });
    expect(await host().abandonFork({ operationId })).toEqual(given);
    expect((await store.head(forkSessionId)).state).toBe("tombstone");
    const error = await refusalOf("fork_operation_closed", host().resumeFork({ operationId }));
    expect(error).toMatchObject({ committed: false, details: { state: "abandoned" } });
    const made = await host().forkMember("planner", child);
    const seated = host().abandonFork({ operationId: made.operationId });
    expect((await refusalOf("fork_operation_closed", seated)).details.state).toBe("seated");
  });

  it("lists what waits for a resume without touching it", async () => {
    // F90
    await failedFork();
    clock.advance(1);
    await host().forkMember("planner", { ...child, identity: "seated" });
    const before = await snapshot(store);
    const page = await host().listForks({ state: "committed" });
    expect(page.items.map(({ memberAlias }) => memberAlias)).toEqual(["child"]);
    const first = await host().listForks({ limit: 1 });
    const rest = await host().listForks({ limit: 1, after: first.next! });
    expect([...first.items, ...rest.items].map(({ state }) => state)).toEqual(["committed", "seated"]);
    expect(await snapshot(store)).toBe(before);
    await refusalOf("invalid_request", host().listForks({ state: "pending" } as never));
  });

  it("never lets a child be adopted by name before its seat", async () => {
    // F96
    const { forkSessionId } = (await failedFork()).details;
    expect(await store.members.get("child")).toBeUndefined();
    expect(await store.members.holder("child")).not.toHaveProperty("sessionId");
    await refusalOf("member_not_found", host().forkMember("child", { ...child, identity: "grandchild" }));
    const lease = store.acquireLease(forkSessionId, { owner: "thief", ttlMs: 1000 });
    await expect(lease).rejects.toMatchObject({ code: "session_unavailable" });
    const named = store.createSession({ member: "child", role: "general" });
    await expect(named).rejects.toMatchObject({ code: "member_already_exists" });
  });
});
