import { manualClock } from "@basis/core/testing";
import type { ModelMessage } from "@mobkit/session";
import { beforeEach, describe, expect, it } from "vitest";
import { createForks, createReservations, type Forks, type Reservations } from "../src/index.ts";
import { story } from "./support/messages.ts";
import { gate, recordingProvisioner, settle, type Gate } from "./support/provisioners.ts";
import { refusal, refusalOf } from "./support/refusals.ts";
import { seed, snapshot } from "./support/sessions.ts";
import { stores, type Store } from "./support/stores.ts";

const child = { identity: "child", role: "general" };

describe.each(stores)("name reservation on the $name store", (kind) => {
  let store: Store;
  let reservations: Reservations;
  let building: Gate;
  let slow: Forks<ModelMessage>;
  let forks: Forks<ModelMessage>;
  const clock = manualClock();

  beforeEach(async () => {
    store = await kind.open();
    reservations = createReservations();
    building = gate();
    const provisioner = recordingProvisioner(() => building.passed.then(() => ({})));
    slow = createForks({ store, provisioner, reservations, clock });
    forks = createForks({ store, provisioner: recordingProvisioner(), reservations, clock });
    await seed(store, "planner", story);
  });

  it("holds the name across commit and provisioning", async () => {
    // F40
    const first = slow.forkMember("planner", child);
    await settle();
    expect(await store.members.holder("child")).toMatchObject({ holder: "reserved" });
    const second = refusalOf("member_already_exists", forks.forkMember("planner", child));
    let answered = false;
    void second.finally(() => (answered = true));
    await settle();
    expect(answered).toBe(false);
    building.open();
    expect((await first).memberAlias).toBe("child");
    expect((await second).details).toEqual({ memberId: "child", holder: "seated" });
  });

  it("refuses a name that another process has reserved, before anything is written", async () => {
    // F41
    const first = slow.forkMember("planner", child);
    await settle();
    const before = await snapshot(store);
    const elsewhere = createForks({ store, provisioner: recordingProvisioner() });
    const error = await refusalOf("member_already_exists", elsewhere.forkMember("planner", child));
    expect(error.details).toEqual({ memberId: "child", holder: "reserved" });
    expect(error).toMatchObject({ committed: false, retry: "after_fix" });
    expect(await snapshot(store)).toBe(before);
    building.open();
    await first;
  });

  it("keeps no lock after a refusal", async () => {
    // F41
    await refusalOf("member_not_found", forks.forkMember("ghost", child));
    await refusalOf("member_already_exists", forks.forkMember("planner", { ...child, identity: "planner" }));
    await refusalOf("fork_boundary", forks.forkMember("planner", child, { at: 99 }));
    await settle();
    expect(reservations.size).toBe(0);
    expect((await forks.forkMember("planner", child)).memberAlias).toBe("child");
    await settle();
    expect(reservations.size).toBe(0);
  });

  it("lets one of 64 racers win, and leaves no orphan", async () => {
    // F42
    const racers = Array.from({ length: 64 }, () =>
      createForks({ store, provisioner: recordingProvisioner() }).forkMember("planner", child),
    );
    const ends = await Promise.allSettled(racers);
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const losers = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as { kind: string }] : []));
    expect(new Set(losers.map(({ kind: lost }) => lost))).toEqual(new Set(["member_already_exists"]));
    expect((await forks.listForks()).items).toHaveLength(1);
    expect((await store.listSessions({ state: "pending" })).items).toEqual([]);
  });

  it("ends a wait with the caller's signal, and leaves the store as it was", async () => {
    // F43
    const first = slow.forkMember("planner", child);
    await settle();
    const before = await snapshot(store);
    const leaving = new AbortController();
    const second = refusalOf(
      "fork_cancelled",
      forks.forkMember("planner", child, { signal: leaving.signal }),
    );
    await settle();
    leaving.abort(new Error("gone"));
    const error = await second;
    expect(error).toMatchObject({ committed: false, retry: "same_request" });
    expect((error.cause as Error).message).toBe("gone");
    expect(await snapshot(store)).toBe(before);
    const already = forks.forkMember("planner", child, { signal: leaving.signal });
    expect((await refusal(already)).kind).toBe("fork_cancelled");
    building.open();
    await first;
  });

  it("runs a committed fork to its end when the caller goes away", async () => {
    // F43
    const leaving = new AbortController();
    const work = slow.forkMember("planner", child, { signal: leaving.signal });
    await settle();
    leaving.abort(new Error("gone"));
    await settle();
    building.open();
    expect((await work).memberAlias).toBe("child");
    expect((await store.members.get("child"))?.member).toBe("child");
  });

  it("refuses new forks after a shutdown", async () => {
    // F44
    await forks.shutdown();
    const error = await refusalOf("forks_shut_down", forks.forkMember("planner", child));
    expect(error.committed).toBe(false);
    await refusalOf("forks_shut_down", forks.resumeFork({ operationId: "o" }));
    expect((await forks.listForks()).items).toEqual([]);
  });

  it("joins the running forks in a shutdown", async () => {
    // F45
    const work = slow.forkMember("planner", child);
    await settle();
    let down = false;
    const ended = slow.shutdown().then(() => (down = true));
    await settle();
    expect(down).toBe(false);
    const impatient = slow.shutdown({ signal: AbortSignal.abort(new Error("enough")) });
    await expect(impatient).rejects.toThrow("enough");
    building.open();
    await ended;
    expect((await work).memberAlias).toBe("child");
  });

  it("ends a wait at its deadline, without an effect", async () => {
    // F46
    const first = slow.forkMember("planner", child);
    await settle();
    const second = refusalOf(
      "fork_deadline_exceeded",
      forks.forkMember("planner", child, { deadlineMs: 50 }),
    );
    await settle();
    clock.advance(50);
    expect(await second).toMatchObject({
      committed: false,
      retry: "same_request",
      details: { deadlineMs: 50 },
    });
    building.open();
    await first;
  });

  it("ends a provisioning at the deadline, and leaves a fork that can be resumed", async () => {
    // F46
    const work = refusalOf(
      "fork_member_provision_failed",
      slow.forkMember("planner", child, { deadlineMs: 50 }),
    );
    await settle();
    clock.advance(50);
    const { details } = await work;
    const made = await forks.resumeFork({ operationId: details.operationId });
    expect(made.sessionId).toBe(details.forkSessionId);
  });
});
