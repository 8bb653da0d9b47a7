import type { ModelMessage } from "@mobkit/session";
import { beforeEach, describe, expect, it } from "vitest";
import { createForks, type Forks } from "../src/index.ts";
import { assistant, calls, result, story, user } from "./support/messages.ts";
import { recordingProvisioner } from "./support/provisioners.ts";
import { refusalOf } from "./support/refusals.ts";
import { messages, rows, seed, snapshot, update, write } from "./support/sessions.ts";
import { stores, type Store } from "./support/stores.ts";

const child = { identity: "child", role: "general" };

describe.each(stores)("the source's state on the $name store", (kind) => {
  let store: Store;
  let forks: Forks<ModelMessage>;
  let sessionId: string;

  beforeEach(async () => {
    store = await kind.open();
    forks = createForks({ store, provisioner: recordingProvisioner() });
    sessionId = (await seed(store, "planner", story)).id;
  });

  /** The cause of a refusal that left no trace. */
  async function unavailable(): Promise<string> {
    const before = await snapshot(store);
    const error = await refusalOf("fork_source_unavailable", forks.forkMember("planner", child));
    const { cause } = error.details;
    expect(error).toMatchObject({ committed: false, details: { sourceMemberId: "planner" } });
    expect(error.message).toContain(cause);
    expect(error.structuredData()).toMatchObject({ kind: "fork_source_unavailable", cause });
    expect(await snapshot(store)).toBe(before);
    return cause;
  }

  it("refuses a source that nobody registered, and one whose member was retired", async () => {
    const error = await refusalOf("member_not_found", forks.forkMember("ghost", child));
    expect(error.details).toEqual({ memberId: "ghost" });
    await store.members.retire("planner");
    await refusalOf("member_not_found", forks.forkMember("planner", child));
  });

  it("refuses a member without a session", async () => {
    // F47
    const members = {
      ...store.members,
      get: async (name: string) => ({ ...(await store.members.get(name))!, sessionId: "gone" }),
    };
    const strayed = createForks({ store, members, provisioner: recordingProvisioner() });
    const error = await refusalOf("fork_source_unavailable", strayed.forkMember("planner", child));
    expect(error.details.cause).toBe("no_session");
  });

  it("refuses a fork of a member into its own name", async () => {
    const self = forks.forkMember("planner", { ...child, identity: "planner" });
    expect((await refusalOf("member_already_exists", self)).details.memberId).toBe("planner");
  });

  it("refuses a source in an open turn, and takes it once the turn is over", async () => {
    // F48
    await update(store, sessionId, { runTurn: "turn-1" });
    expect(await unavailable()).toBe("running");
    const error = await refusalOf("fork_source_unavailable", forks.forkMember("planner", child));
    expect(error).toMatchObject({ retry: "same_request", details: { settledLen: story.length } });
    await update(store, sessionId, { runTurn: null });
    expect((await forks.forkMember("planner", child)).messageCount).toBe(story.length);
  });

  it("refuses a source with a queued input", async () => {
    // F49
    await store.adjustWork(sessionId, { queuedInputs: 1 });
    expect(await unavailable()).toBe("running");
  });

  it("refuses a source with a pending approval", async () => {
    // F50
    await store.adjustWork(sessionId, { pendingApprovals: 1 });
    expect(await unavailable()).toBe("running");
  });

  it("takes a source whose lease somebody merely holds", async () => {
    // F51
    await store.acquireLease(sessionId, { owner: "elsewhere", ttlMs: 60_000 });
    expect((await forks.forkMember("planner", child)).messageCount).toBe(story.length);
  });

  it.each(["archived", "quarantined"] as const)(
    "refuses a source that is %s, and takes it back",
    async (state) => {
      // F52, F53
      await store.setState(sessionId, { state });
      expect(await unavailable()).toBe(state);
      await store.setState(sessionId, { state: "ready" });
      expect((await forks.forkMember("planner", child)).memberAlias).toBe("child");
    },
  );

  it("forks a running source at its settled boundary when asked to", async () => {
    // F54
    await write(store, sessionId, [calls("c")], { runTurn: "turn-1" });
    const made = await forks.forkMember("planner", child, { whileRunning: "settled" });
    expect(made.messageCount).toBe(story.length);
    expect(await messages(store, made.sessionId)).toEqual(story);
  });

  it("forks an agent from inside its own tool call, without that call", async () => {
    // F55
    const turn = [user("fork yourself"), assistant("yes"), calls("fork", "other"), result("other")];
    await write(store, sessionId, turn, { runTurn: "turn-1" });
    const made = await forks.forkMember("planner", child, { whileRunning: "settled" });
    expect(await messages(store, made.sessionId)).toEqual([...story, ...turn.slice(0, 2)]);
    await write(store, sessionId, [result("fork"), assistant("done")], { runTurn: null });
    expect(await messages(store, sessionId)).toHaveLength(story.length + 6);
    expect((await store.head(made.sessionId)).openCalls).toEqual([]);
  });

  it("leaves the source's rows, head and revision as they were", async () => {
    // F56
    const before = [await store.head(sessionId), await rows(store, sessionId)];
    await forks.forkMember("planner", child);
    expect([await store.head(sessionId), await rows(store, sessionId)]).toEqual(before);
  });

  it("leaves the source's lease and next append as they were", async () => {
    // F57, as far as one process shows it
    const lease = await store.acquireLease(sessionId, { owner: "turn", ttlMs: 60_000 });
    const { rev } = await store.head(sessionId);
    await forks.forkMember("planner", child);
    const written = await store.append(sessionId, { lease, expectedRev: rev, messages: [assistant("next")] });
    expect(written).toMatchObject({ rev: rev + 1, len: story.length + 1 });
  });
});
