import type { ModelMessage } from "@mobkit/session";
import { beforeEach, describe, expect, it } from "vitest";
import {
  createForks,
  type ForkErrorKind,
  type ForkMemberOptions,
  type Forks,
  type SpawnFailure,
} from "../src/index.ts";
import { memoryIdentityAuthority } from "../src/memory/index.ts";
import { story } from "./support/messages.ts";
import { recordingProvisioner } from "./support/provisioners.ts";
import { refusalOf } from "./support/refusals.ts";
import { seed, snapshot, write } from "./support/sessions.ts";
import { stores, type Store } from "./support/stores.ts";

const child = { identity: "child", role: "general" };

describe.each(stores)("a preview on the $name store", (kind) => {
  let store: Store;
  let forks: Forks<ModelMessage>;
  let failures: SpawnFailure[];

  beforeEach(async () => {
    store = await kind.open();
    failures = [];
    forks = createForks({
      store,
      provisioner: recordingProvisioner(),
      onError: (failure) => void failures.push(failure),
    });
    await write(store, (await seed(store, "planner")).id, story.slice(0, 6));
    await seed(store, "taken");
  });

  it.each<ForkMemberOptions>([{}, { at: 2 }, { at: "settled" }, { at: 0, allowEmpty: true }])(
    "of %j says what the fork then begins with, and writes nothing",
    async (options) => {
      const before = await snapshot(store);
      const preview = await forks.previewFork("planner", child, options);
      expect(await snapshot(store)).toBe(before);
      const { messageCount, prefixDigest, lineage } = await forks.forkMember("planner", child, options);
      expect(preview).toMatchObject({
        messageCount,
        prefixDigest,
        memberAlias: "child",
        sourceSessionId: lineage.sessionId,
        madeBy: undefined,
      });
    },
  );

  it.each<[ForkErrorKind, string, object, ForkMemberOptions]>([
    ["invalid_request", "planner", { launchMode: "fork" }, {}],
    ["invalid_request", "planner", { identity: "mk--x" }, {}],
    ["member_not_found", "nobody", {}, {}],
    ["member_already_exists", "planner", { identity: "planner" }, {}],
    ["member_already_exists", "planner", { identity: "taken" }, {}],
    ["fork_boundary", "planner", {}, { at: 99 }],
    ["fork_boundary", "planner", {}, { expect: { revision: 99 } }],
    ["fork_source_unavailable", "running", {}, {}],
  ])("refuses with %s as the fork does", async (refusal, source, more, options) => {
    const running = await seed(store, "running");
    await write(store, running.id, story.slice(0, 2));
    await store.adjustWork(running.id, { queuedInputs: 1 });
    const spec = { ...child, ...more };
    const before = await snapshot(store);
    const preview = await refusalOf(refusal, forks.previewFork(source, spec, options));
    expect(failures).toEqual([]);
    const fork = await refusalOf(refusal, forks.forkMember(source, spec, options));
    expect(preview.toJSON()).toEqual(fork.toJSON());
    expect(await snapshot(store)).toBe(before);
  });

  it("names the fork that the idempotency key has made", async () => {
    const made = await forks.forkMember("planner", child, { idempotencyKey: "k", at: 2 });
    expect(await forks.previewFork("planner", child, { idempotencyKey: "k", at: 2 })).toMatchObject({
      madeBy: made.operationId,
      messageCount: 2,
    });
    await refusalOf("fork_conflict", forks.previewFork("planner", child, { idempotencyKey: "k", at: 1 }));
  });

  it("holds no lock afterwards", async () => {
    const authority = memoryIdentityAuthority();
    const guarded = createForks({ store, provisioner: recordingProvisioner(), identityAuthority: authority });
    await guarded.previewFork("planner", child);
    expect((await guarded.forkMember("planner", child)).messageCount).toBe(6);
  });

  it("of a store that can't inspect is refused, naming it", async () => {
    const { commit, seat, abandon } = store.forks;
    const blind = { ...store, forks: { commit, seat, abandon } };
    const limited = createForks({ store: blind, provisioner: recordingProvisioner() });
    const error = await refusalOf("fork_unavailable", limited.previewFork("planner", child));
    expect(error.message).toContain("preview");
    expect((await limited.forkMember("planner", child)).messageCount).toBe(6);
  });
});
