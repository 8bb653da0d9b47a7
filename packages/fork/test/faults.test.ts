import type { ModelMessage } from "@mobkit/session";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { createForks, isForkError, type ForkResult, type Forks } from "../src/index.ts";
import { faultyStore, type Fault, type FaultPlan, type Step } from "./support/faults.ts";
import { story } from "./support/messages.ts";
import { failing, recordingProvisioner, type RecordingProvisioner } from "./support/provisioners.ts";
import { refusalOf } from "./support/refusals.ts";
import { messages, seed, snapshot } from "./support/sessions.ts";
import { stores, type Store } from "./support/stores.ts";

const child = { identity: "child", role: "general", initialMessage: "go on" };

describe.each(stores)("a store that fails under a fork, on the $name store", (kind) => {
  let store: Store;
  let provisioner: RecordingProvisioner;

  beforeEach(async () => {
    store = await kind.open();
    provisioner = recordingProvisioner();
    await seed(store, "planner", story);
  });

  const over = (plan: FaultPlan): Forks<ModelMessage> =>
    createForks({
      store: faultyStore(store, plan),
      provisioner,
    });

  it("finds a commit whose reply was lost, and goes on with it", async () => {
    // S27
    const made = await over({ commit: ["after"] }).forkMember("planner", child);
    expect(made).toMatchObject({ memberAlias: "child", replayed: false });
    expect((await store.operations.list()).items).toHaveLength(1);
  });

  it("says that nothing was committed when nothing was", async () => {
    const before = await snapshot(store);
    const error = await refusalOf(
      "fork_unavailable",
      over({ commit: ["before"] }).forkMember("planner", child),
    );
    expect(error).toMatchObject({ committed: false, retry: "same_request", details: { stage: "read" } });
    expect(await snapshot(store)).toBe(before);
  });

  it("says that something may be committed when it cannot know", async () => {
    // S27
    const forks = over({ commit: ["after"], holder: ["before"] });
    const keyed = { idempotencyKey: "key-1" };
    const error = await refusalOf("fork_unavailable", forks.forkMember("planner", child, keyed));
    expect(error).toMatchObject({ committed: true, retry: "same_request" });
    expect(error.details).toEqual({ stage: "commit", code: "store_unavailable" });
    expect((await refusalOf("fork_in_progress", forks.forkMember("planner", child, keyed))).committed).toBe(
      true,
    );
  });

  it("does not take another's commit for its own", async () => {
    const flaky = createForks({ store, provisioner: recordingProvisioner(failing(1)) });
    await refusalOf("fork_member_provision_failed", flaky.forkMember("planner", child));
    const error = await refusalOf(
      "fork_unavailable",
      over({ commit: ["before"] }).forkMember("planner", child),
    );
    expect(error.committed).toBe(false);
    expect(provisioner.requests).toEqual([]);
  });

  it("seats once when the seat's reply was lost", async () => {
    // S26
    const made = await over({ seat: ["after"] }).forkMember("planner", child);
    expect(made.memberAlias).toBe("child");
    expect(provisioner.requests).toHaveLength(1);
    expect(provisioner.tornDown).toEqual([]);
    expect((await store.outbox.list({ kind: "session.input" })).items).toHaveLength(1);
  });

  it("leaves a resumable fork when the seat fails for good, and the claim cannot be let go", async () => {
    const forks = over({ seat: ["before", "before"], fail: ["before"] });
    const { details } = await refusalOf("fork_member_provision_failed", forks.forkMember("planner", child));
    const { operationId } = details;
    expect(await forks.forkStatus({ operationId })).toMatchObject({ state: "committed", failure: null });
    await refusalOf("fork_in_progress", forks.resumeFork({ operationId }));
  });

  it("takes down what it built when the provisioner's answer cannot be seated", async () => {
    const nameless = recordingProvisioner(async () => ({ agentIdentity: "" }));
    const forks = createForks({ store, provisioner: nameless });
    const error = await refusalOf("fork_member_provision_failed", forks.forkMember("planner", child));
    expect(nameless.tornDown.map(({ operationId }) => operationId)).toEqual([error.details.operationId]);
  });

  it("keeps a reason that no store could keep otherwise", async () => {
    const odd = recordingProvisioner(() => Promise.reject(new Error("half \ud83d\0")));
    const forks = createForks({ store, provisioner: odd });
    const { details } = await refusalOf("fork_member_provision_failed", forks.forkMember("planner", child));
    expect(details.reason).toBe("half \ufffd\ufffd");
    expect(await forks.forkStatus({ operationId: details.operationId })).toMatchObject({
      failure: details.reason,
    });
  });
});

describe.each(stores)("retrying as the errors advise, on the $name store", (kind) => {
  it("converges to one child after any faults", async () => {
    // Section 9: one key makes at most one child; retry after any injected fault converges
    const step = fc.constantFrom<Step>("commit", "seat", "fail", "claim", "ofKey", "get", "member", "holder");
    const faults = fc.dictionary(step, fc.array(fc.constantFrom<Fault>("before", "after"), { maxLength: 3 }));
    await fc.assert(
      fc.asyncProperty(faults, fc.nat({ max: 2 }), async (plan, builds) => {
        const store = await kind.open();
        await seed(store, "planner", story);
        const forks = createForks({
          store: faultyStore(store, plan),
          provisioner: recordingProvisioner(failing(builds)),
          claimTtlMs: 1,
        });
        const made = await persist(forks);
        expect((await store.operations.list()).items.map(({ state }) => state)).toEqual(["seated"]);
        expect((await store.members.get("child"))?.sessionId).toBe(made.sessionId);
        expect(await messages(store, made.sessionId)).toEqual(story);
        expect((await store.outbox.list({ kind: "session.input" })).items).toHaveLength(1);
        await store.close();
      }),
      { numRuns: kind.runs },
    );
  });
});

/** A caller that reads `retry` and nothing else. */
async function persist(forks: Forks<ModelMessage>): Promise<ForkResult> {
  let attempt = (): Promise<ForkResult> => forks.forkMember("planner", child, { idempotencyKey: "key-1" });
  for (let tries = 0; tries < 60; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isForkError(error) || error.retry === "never" || error.retry === "after_fix") throw error;
      if (isForkError(error, "fork_member_provision_failed")) {
        const { operationId } = error.details;
        attempt = () => forks.resumeFork({ operationId });
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
  throw new Error("it never converged");
}
