import type { ModelMessage } from "@mobkit/session";
import { emptyUsage } from "@basis/core";
import { beforeEach, describe, expect, it } from "vitest";
import { createForks, sessionToolAccess, TOOL_ACCESS_KIND, type Forks } from "../src/index.ts";
import { assistant, story, user } from "./support/messages.ts";
import { recordingProvisioner, type RecordingProvisioner } from "./support/provisioners.ts";
import { refusalOf } from "./support/refusals.ts";
import { messages, rows, seed, update, write } from "./support/sessions.ts";
import { stores, type Store } from "./support/stores.ts";

const child = { identity: "child", role: "general" };

describe.each(stores)("a child's beginning on the $name store", (kind) => {
  let store: Store;
  let provisioner: RecordingProvisioner;
  let forks: Forks<ModelMessage>;
  let sessionId: string;

  beforeEach(async () => {
    store = await kind.open();
    provisioner = recordingProvisioner();
    forks = createForks({ store, provisioner });
    sessionId = (await seed(store, "planner")).id;
    await write(store, sessionId, story, { usage: { inputTokens: 40, outputTokens: 2 } });
  });

  it("is the source's prefix, row for row", async () => {
    // F72
    const made = await forks.forkMember("planner", child, { at: 5 });
    expect(await rows(store, made.sessionId)).toEqual((await rows(store, sessionId)).slice(0, 5));
    expect(await messages(store, made.sessionId)).toEqual(story.slice(0, 5));
  });

  it("has the prefix's digest, which the result carries", async () => {
    // F73
    const made = await forks.forkMember("planner", child, { at: 5 });
    const { digest } = await store.prefix(sessionId, 5);
    expect(made).toMatchObject({ messageCount: 5, prefixDigest: digest });
    expect((await store.prefix(made.sessionId, 5)).digest).toBe(digest);
    expect((await store.head(made.sessionId)).headDigest).toBe(digest);
  });

  it("shares large bodies", async () => {
    // F74
    const large = user("x".repeat(40_000));
    await write(store, sessionId, [large]);
    const made = await forks.forkMember("planner", child);
    expect((await messages(store, made.sessionId)).at(-1)).toEqual(large);
  });

  it("keeps the source's tool policy when the request has none, and hands it to the provisioner", async () => {
    // F76
    const value = { allow: ["read", "run"], deny: ["write"] };
    await update(store, sessionId, { sideState: [{ kind: TOOL_ACCESS_KIND, onFork: "copy", value }] });
    await forks.forkMember("planner", child);
    expect(provisioner.requests[0]?.toolAccessPolicy).toEqual(value);
  });

  it("narrows the source's tool policy by the request's, and that again in a fork of the fork", async () => {
    // F76, S22
    const value = { allow: ["read", "run"], deny: ["write"] };
    await update(store, sessionId, { sideState: [{ kind: TOOL_ACCESS_KIND, onFork: "copy", value }] });
    const asked = { allow: ["run", "write", "spawn"], deny: ["list"] };
    await forks.forkMember("planner", { ...child, toolAccessPolicy: asked }, { at: 2 });
    const narrowed = { allow: ["run"], deny: ["write", "list"] };
    expect(provisioner.requests[0]?.toolAccessPolicy).toEqual(narrowed);
    const wider = { allow: ["run", "read"] };
    await forks.forkMember("child", { ...child, identity: "grandchild", toolAccessPolicy: wider });
    expect(provisioner.requests[1]?.toolAccessPolicy).toEqual(narrowed);
    const { sessionId: forked } = (await store.members.get("child"))!;
    expect(await sessionToolAccess(store, forked)).toEqual(narrowed);
    expect(await sessionToolAccess(store, sessionId)).toEqual(value);
  });

  it("refuses a source whose stored policy cannot be read", async () => {
    // S22
    await update(store, sessionId, { sideState: [{ kind: TOOL_ACCESS_KIND, onFork: "copy", value: "all" }] });
    const error = await refusalOf("fork_unavailable", forks.forkMember("planner", child));
    expect(error.committed).toBe(false);
    expect(await store.members.holder("child")).toBeUndefined();
  });

  it("has the request's role, labels and model, and the source's request head", async () => {
    // F77
    const { digest } = await store.blobs.put("the request's head");
    await update(store, sessionId, { requestHead: digest });
    const spec = { ...child, role: "reviewer", labels: { team: "b" }, model: "acme/large" };
    const made = await forks.forkMember("planner", spec);
    expect(provisioner.requests[0]).toMatchObject({
      role: "reviewer",
      labels: { team: "b" },
      model: "acme/large",
    });
    expect(await store.members.get("child")).toMatchObject({ role: "reviewer", labels: { team: "b" } });
    expect((await store.head(made.sessionId)).requestHead).toBe(digest);
  });

  it("has spent nothing itself, and inherits what the prefix cost", async () => {
    // F78, F79
    const made = await forks.forkMember("planner", child);
    const { usage } = await store.head(made.sessionId);
    expect(usage.own).toEqual(emptyUsage);
    expect(usage.inherited).toMatchObject({ inputTokens: 40, outputTokens: 2 });
  });

  it("tells its lineage, also after the source is deleted", async () => {
    // F80, F81
    const made = await forks.forkMember("planner", child, { at: 5 });
    const { parent } = await store.head(made.sessionId);
    expect(made.lineage).toEqual({ sessionId, len: 5, digest: made.prefixDigest });
    expect(parent).toEqual(made.lineage);
    await store.setState(sessionId, { state: "tombstone" });
    expect(await messages(store, made.sessionId)).toEqual(story.slice(0, 5));
    const status = await forks.forkStatus({ sessionId: made.sessionId });
    expect(status).toMatchObject({ sourceMemberAlias: "planner", lineage: made.lineage });
    const { items } = await forks.listForks();
    expect(items.filter(({ lineage }) => lineage.sessionId === sessionId)).toHaveLength(1);
  });

  it("inherits neither queued input nor pending approvals nor the open turn", async () => {
    // F82, F83
    await update(store, sessionId, { runTurn: "turn-1", queuedInputs: 2, pendingApprovals: 1 });
    const made = await forks.forkMember("planner", child, { whileRunning: "settled" });
    const head = await store.head(made.sessionId);
    expect(head).toMatchObject({ runTurn: null, queuedInputs: 0, pendingApprovals: 0 });
    expect(head.lease.owner).toBeNull();
  });

  it("gets its initial message with the seat, once", async () => {
    // F84
    const made = await forks.forkMember("planner", { ...child, initialMessage: "carry on" });
    expect(provisioner.requests[0]?.initialMessage).toEqual(user("carry on"));
    const { items } = await store.outbox.list({ sessionId: made.sessionId, kind: "session.input" });
    expect(items.map(({ payload }) => payload)).toEqual([
      { operationId: made.operationId, message: user("carry on") },
    ]);
    expect((await store.head(made.sessionId)).queuedInputs).toBe(1);
    expect(await messages(store, made.sessionId)).toEqual(story);
    const consumes = [items[0]!.id];
    await write(store, made.sessionId, [user("carry on")], { consumes, queuedInputs: -1 });
    const again = write(store, made.sessionId, [user("carry on")], { consumes });
    await expect(again).rejects.toMatchObject({ code: "event_consumed" });
    await forks.resumeFork({ operationId: made.operationId });
    expect((await store.outbox.list({ kind: "session.input" })).items).toEqual([]);
  });

  it("gets its initial message once, however often provisioning failed before", async () => {
    // F85
    const flaky = recordingProvisioner(async ({ epoch }) => {
      if (epoch < 3) throw new Error("not yet");
      return {};
    });
    const retried = createForks({ store, provisioner: flaky });
    const spec = { ...child, initialMessage: assistant("as you said") };
    const failed = await refusalOf("fork_member_provision_failed", retried.forkMember("planner", spec));
    const { operationId } = failed.details;
    expect((await store.outbox.list({ kind: "session.input" })).items).toEqual([]);
    await refusalOf("fork_member_provision_failed", retried.resumeFork({ operationId }));
    const made = await retried.resumeFork({ operationId });
    expect(
      (await store.outbox.list({ sessionId: made.sessionId, kind: "session.input" })).items,
    ).toHaveLength(1);
    expect(flaky.requests.map(({ initialMessage }) => initialMessage)).toEqual(
      Array.from({ length: 3 }, () => assistant("as you said")),
    );
  });
});
