import type { ModelMessage } from "@mobkit/session";
import { beforeEach, describe, expect, it } from "vitest";
import { createForks, type Forks } from "../src/index.ts";
import { assistant, story } from "./support/messages.ts";
import { failing, gate, recordingProvisioner, settle } from "./support/provisioners.ts";
import { refusalOf } from "./support/refusals.ts";
import { seed, snapshot, write } from "./support/sessions.ts";
import { stores, type Store } from "./support/stores.ts";

const child = { identity: "child", role: "general" };
const keyed = { idempotencyKey: "key-1" };

describe.each(stores)("idempotency keys on the $name store", (kind) => {
  let store: Store;
  let forks: Forks<ModelMessage>;
  let sessionId: string;

  beforeEach(async () => {
    store = await kind.open();
    forks = createForks({ store, provisioner: recordingProvisioner() });
    sessionId = (await seed(store, "planner", story)).id;
  });

  it("give the same child for the same request, also when the source has moved on", async () => {
    // F92
    const made = await forks.forkMember("planner", child, keyed);
    await write(store, sessionId, [assistant("moved on")]);
    const before = await snapshot(store);
    expect(await forks.forkMember("planner", child, keyed)).toEqual({ ...made, replayed: true });
    expect(made.replayed).toBe(false);
    expect(await snapshot(store)).toBe(before);
  });

  it("refuse another request under the same key", async () => {
    // F93
    const made = await forks.forkMember("planner", child, keyed);
    const other = forks.forkMember("planner", { ...child, identity: "other" }, keyed);
    const error = await refusalOf("fork_conflict", other);
    expect(error.details).toEqual({ idempotencyKey: "key-1", operationId: made.operationId });
    expect(error).toMatchObject({ retry: "after_fix", committed: false });
    expect(await store.members.holder("other")).toBeUndefined();
  });

  it("make at most one child of many calls at once, in one process and across processes", async () => {
    // F94
    const same = Array.from({ length: 8 }, () => forks.forkMember("planner", child, keyed));
    const results = await Promise.all(same);
    expect(new Set(results.map(({ operationId }) => operationId)).size).toBe(1);
    expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1);
    const elsewhere = Array.from({ length: 8 }, () =>
      createForks({ store, provisioner: recordingProvisioner() }).forkMember("planner", child, {
        idempotencyKey: "key-1",
      }),
    );
    expect((await Promise.all(elsewhere)).every(({ replayed }) => replayed)).toBe(true);
    expect((await forks.listForks()).items).toHaveLength(1);
  });

  it("carry a fork that failed to its end", async () => {
    // F95
    const flaky = createForks({ store, provisioner: recordingProvisioner(failing(1)) });
    const { details } = await refusalOf(
      "fork_member_provision_failed",
      flaky.forkMember("planner", child, keyed),
    );
    const made = await flaky.forkMember("planner", child, keyed);
    expect(made).toMatchObject({ operationId: details.operationId, replayed: true, memberAlias: "child" });
  });

  it("say so while another process is at it, and when it was given up", async () => {
    const building = gate();
    const slow = createForks({
      store,
      provisioner: recordingProvisioner(async () =>
        building.passed.then(() => Promise.reject(new Error("no"))),
      ),
    });
    const first = refusalOf("fork_member_provision_failed", slow.forkMember("planner", child, keyed));
    await settle();
    const busy = await refusalOf("fork_in_progress", forks.forkMember("planner", child, keyed));
    expect(busy).toMatchObject({ retry: "same_request", committed: true });
    building.open();
    const { operationId } = (await first).details;
    await forks.abandonFork({ operationId });
    await refusalOf("fork_operation_closed", forks.forkMember("planner", child, keyed));
    const fresh = await forks.forkMember("planner", child, { idempotencyKey: "key-2" });
    expect(fresh.operationId).not.toBe(operationId);
  });
});
