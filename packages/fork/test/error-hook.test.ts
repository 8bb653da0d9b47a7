import { beforeEach, describe, expect, it } from "vitest";
import { createForks, type OnForkError, type SpawnFailure } from "../src/index.ts";
import { story } from "./support/messages.ts";
import { failing, recordingProvisioner } from "./support/provisioners.ts";
import { refusal, refusalOf } from "./support/refusals.ts";
import { seed } from "./support/sessions.ts";
import { stores, type Store } from "./support/stores.ts";

const child = { identity: "child", role: "general" };

describe.each(stores)("the error hook on the $name store", (kind) => {
  let store: Store;
  let told: SpawnFailure[];

  beforeEach(async () => {
    store = await kind.open();
    told = [];
    await seed(store, "planner", story);
  });

  it("is told of a failure, with the committed child where there is one", async () => {
    // F97, F99
    const onError: OnForkError = (failure) => void told.push(failure);
    const forks = createForks({ store, provisioner: recordingProvisioner(failing(2)), onError });
    const missing = await refusalOf("member_not_found", forks.forkMember("ghost", child));
    const failed = await refusalOf("fork_member_provision_failed", forks.forkMember("planner", child));
    const { operationId, forkSessionId } = failed.details;
    await refusal(forks.resumeFork({ operationId }, { role: "reviewer" }));
    const facts = { type: "spawn_failure", member: "child", role: "general" };
    expect(told[0]).toEqual({ ...facts, kind: missing.kind, message: missing.message, committed: false });
    expect(told[1]).toEqual({
      ...facts,
      kind: failed.kind,
      message: failed.message,
      committed: true,
      forkSessionId,
    });
    expect(told[2]).toMatchObject({ role: "reviewer", committed: true, forkSessionId });
    await forks.resumeFork({ operationId });
    expect(told).toHaveLength(3);
  });

  it("is never told of a bad request or a source without authority", async () => {
    // F98, F100
    const onError: OnForkError = (failure) => void told.push(failure);
    const identityAuthority = {
      resolveAlias: async () => undefined,
      holdLifecycle: () => Promise.reject(new Error("nobody")),
    };
    const forks = createForks({ store, provisioner: recordingProvisioner(), onError, identityAuthority });
    await refusalOf("invalid_request", forks.forkMember("planner", { ...child, identity: "" }));
    await refusalOf("source_authority", forks.forkMember("rt:ghost:0", child));
    expect(told).toEqual([]);
  });

  const broken: Readonly<Record<string, OnForkError>> = {
    throws() {
      throw new Error("hook");
    },
    rejects: () => Promise.reject(new Error("hook")),
    "never answers": () => new Promise(() => undefined),
  };

  // F101, F102, F103
  it.each(Object.entries(broken))("changes nothing when it %s", async (_, onError) => {
    const forks = createForks({ store, provisioner: recordingProvisioner(failing(1)), onError });
    const error = await refusalOf("fork_member_provision_failed", forks.forkMember("planner", child));
    const made = await forks.resumeFork({ operationId: error.details.operationId });
    expect(made.sessionId).toBe(error.details.forkSessionId);
  });
});
