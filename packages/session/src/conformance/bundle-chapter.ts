import { exportSession, importSession } from "../bundle/index.ts";
import { actor, actorOn, answers, asks, rowsOf, says, type Actor, type AnyStore } from "./actor.ts";
import { ensure, ensureRefused, ensureSame } from "./assertions.ts";
import { onStore, type ConformanceChapter } from "./case.ts";

const long = "long ".repeat(4000);

/** Export and import by bundles, for stores that have `transfer`. */
export const bundleChapter: ConformanceChapter = {
  name: "bundles",
  cases: [
    onStore("S35: a session comes back as it was, under an id of its own", async ({ store }) => {
      const child = await family(store);
      const { session, bundle } = await importSession(store, await bundleOf(store, child.sessionId), {
        member: "copy",
        role: "critic",
        labels: { from: "elsewhere" },
      });
      const origin = await store.head(child.sessionId);
      ensure(session.id !== origin.id, "the id is new");
      ensureSame(session, await store.head(session.id), "the record is what the store holds");
      ensureSame(
        [
          session.len,
          session.settledLen,
          session.headDigest,
          session.rev,
          session.requestHead,
          session.usage,
        ],
        [origin.len, origin.settledLen, origin.headDigest, origin.rev, origin.requestHead, origin.usage],
        "the head",
      );
      ensureSame([session.baseLen, session.parent, session.nextSeq], [0, null, origin.len], "its own log");
      ensureSame(bundle.origin.ancestors.length, 2, "the lineage is told");
      const member = await store.members.get("copy");
      ensureSame(
        [member?.role, member?.labels, member?.agentIdentity],
        ["critic", { from: "elsewhere" }, null],
        "the member",
      );
      await ensureSameContents(store, child.sessionId, session.id);
    }),
    onStore("S35: what an import makes can be written, cancelled and forked", async ({ store }) => {
      const child = await family(store);
      const lines = await bundleOf(store, child.sessionId);
      const { session } = await importSession(store, lines, { member: "copy", role: "general" });
      const copy = await actorOn(store, "copy", session.id);
      await copy.append([answers("z")]);
      await ensureRefused(copy.append([says("again")], { ids: ["m1"] }), "duplicate_message");
      await copy.append([says("on")], { turnId: "t9" });
      const at = { messageId: (await copy.rows())[1]!.id };
      const early = await copy.fork("early", { at });
      ensure((await early.rows()).length === 2, "a fork by a message's id");
      const turn = await copy.fork("turn", { at: { turnId: "t2" } });
      ensure((await turn.rows()).length === 5, "a fork by a turn's id");
      await copy.cancel({ to: 1 });
      ensure((await copy.rows()).length === 1, "a rollback over imported rows");
      ensure((await store.cancelMarks(session.id)).length === 2, "beside the one that came along");
      ensure(
        (await child.rows()).length === (await store.head(child.sessionId)).len,
        "the origin is untouched",
      );
    }),
    onStore("S35: leases, turns, inputs, approvals and events don't come along", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a"), asks("x")], {
        runTurn: "t1",
        pendingApprovals: 1,
        queuedInputs: 2,
        writeId: "w1",
        events: [{ key: "k", kind: "told", payload: 1 }],
      });
      const lines = await bundleOf(store, planner.sessionId);
      ensure(!lines.join("\n").includes("kit-planner"), "the lease's owner is not told");
      const { session, bundle } = await importSession(store, lines, { member: "copy", role: "general" });
      ensureSame(
        [session.runTurn, session.queuedInputs, session.pendingApprovals, session.lease.owner],
        [null, 0, 0, null],
        "nothing waits",
      );
      ensureSame(
        [session.openCalls.length, bundle.openCalls.length, session.settledLen],
        [1, 1, 1],
        "the call is open",
      );
      ensureSame((await store.outbox.list({ sessionId: session.id })).items, [], "no event");
      const copy = await actorOn(store, "copy", session.id);
      await copy.append([answers("x")], { writeId: "w1" });
    }),
    onStore("S35: a bundle that is refused at its end leaves nothing", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a"), says(long), says("c")]);
      const lines = await bundleOf(store, planner.sessionId);
      const before = await ready(store);
      const request = { member: "copy", role: "general" };
      for (const broken of [lines.slice(0, -1), [...lines, lines[0]!]]) {
        await ensureRefused(importSession(store, broken, request), "invalid_bundle");
        ensure((await store.members.holder("copy")) === undefined, "the name is free");
        ensureSame(await ready(store), before, "no session is ready that wasn't");
        ensureSame((await store.listSessions({ state: "pending" })).items, [], "none is left half");
      }
      await importSession(store, lines, request);
      await ensureRefused(importSession(store, lines, request), "member_already_exists");
    }),
    onStore("archived sessions are exported, deleted ones are not", async ({ store }) => {
      const planner = await actor(store);
      await planner.append([says("a")]);
      await store.setState(planner.sessionId, { state: "archived" });
      await bundleOf(store, planner.sessionId);
      await store.setState(planner.sessionId, { state: "tombstone" });
      await ensureRefused(bundleOf(store, planner.sessionId), "session_unavailable");
      await ensureRefused(bundleOf(store, "nobody"), "unknown_session");
    }),
    onStore("a finished import is there after the store was opened anew", async ({ store, reopen }) => {
      const child = await family(store);
      const lines = await bundleOf(store, child.sessionId);
      const { session } = await importSession(store, lines, { member: "copy", role: "general" });
      const later = (await reopen?.()) ?? store;
      await ensureSameContents(later, child.sessionId, session.id);
    }),
  ],
};

/** The lines of a session's bundle. */
async function bundleOf(store: AnyStore, sessionId: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportSession(store, sessionId)) lines.push(line);
  return lines;
}

/** A fork of a fork, with everything that a session may have: the oldest is deleted, the youngest rolled back once. */
async function family(store: AnyStore): Promise<Actor> {
  const root = await actor(store, "root");
  const head = await store.blobs.put("the request's head");
  const result = await store.blobs.put(new Uint8Array([0, 255, 7]));
  await root.append([says("a"), says(long)], { ids: ["m1", "m2"], turnId: "t1", requestHead: head.digest });
  await root.append([asks("x", "y"), answers("y"), answers("x")], { blobs: [result.digest], turnId: "t2" });
  await root.append([says("summary")], { mark: { summarises: 2, keepFrom: 2 }, usage: { inputTokens: 7 } });
  const middle = await root.fork("middle", { at: 6 });
  await middle.append([says("b"), says(long)], { usage: { outputTokens: 3 } });
  const child = await middle.fork("child");
  await child.append([says("wrong")], { turnId: "t3" });
  await child.cancel({ to: 8, messages: [says("notice")] });
  const value = { open: ["é", { n: 1 }], result: result.digest };
  await child.append([asks("z")], {
    turnId: "t1",
    sideState: [
      { kind: "todo", onFork: "copy", value },
      { kind: "notes", onFork: "share", value: null },
    ],
  });
  await store.setState(root.sessionId, { state: "tombstone" });
  return child;
}

async function ensureSameContents(store: AnyStore, one: string, other: string): Promise<void> {
  const [rows, copies] = [await rowsOf(store, one), await rowsOf(store, other)];
  ensureSame(copies.map(withoutPlace), rows.map(withoutPlace), "the rows");
  for (let length = 0; length <= rows.length; length += 1) {
    ensureSame(await store.prefix(other, length), await store.prefix(one, length), `the prefix of ${length}`);
  }
  ensureSame(await store.contextMark(other), await store.contextMark(one), "the compaction");
  ensureSame(await store.cancelMarks(other), await store.cancelMarks(one), "the rollbacks");
  for (const kind of ["todo", "notes"]) {
    ensureSame(
      await store.sideState(other, kind),
      await store.sideState(one, kind),
      `the side state ${kind}`,
    );
  }
}

function withoutPlace({
  writer: _writer,
  seq: _seq,
  rev: _rev,
  ...row
}: Awaited<ReturnType<typeof rowsOf>>[number]) {
  return row;
}

async function ready(store: AnyStore): Promise<readonly string[]> {
  return (await store.listSessions({ state: "ready" })).items.map(({ id }) => id);
}
