import { manualClock } from "@basis/core/testing";
import { describe, expect, it } from "vitest";
import { createForks } from "../src/index.ts";
import { story } from "./support/messages.ts";
import { recordingProvisioner, settle } from "./support/provisioners.ts";
import { refusalOf } from "./support/refusals.ts";
import { seed } from "./support/sessions.ts";
import { stores } from "./support/stores.ts";

describe.each(stores)("claims on the $name store", (kind) => {
  it("tells a provisioner whose claim was taken to stop, and takes nothing from the taker", async () => {
    // S26
    const clock = manualClock();
    const sleepersClock = manualClock();
    const store = await kind.open({ clock });
    await seed(store, "planner", story);
    const slow = recordingProvisioner(
      (_request, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    );
    const sleeper = createForks({ store, provisioner: slow, clock: sleepersClock });
    const lost = refusalOf(
      "fork_member_provision_failed",
      sleeper.forkMember("planner", { identity: "child", role: "general" }),
    );
    await settle();
    const [left] = (await sleeper.listForks({ state: "committed" })).items;
    clock.advance(15_001);
    const taker = createForks({ store, provisioner: recordingProvisioner(), clock });
    const made = await taker.resumeFork({ operationId: left!.operationId });
    expect(slow.signals.map(({ aborted }) => aborted)).toEqual([false]);
    sleepersClock.advance(5000);
    expect((await lost).details.operationId).toBe(made.operationId);
    expect(slow.signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect((await store.members.get("child"))?.sessionId).toBe(made.sessionId);
  });
});
