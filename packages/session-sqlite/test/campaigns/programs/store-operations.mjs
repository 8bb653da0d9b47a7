// What the campaigns do to a store: each operation is a list of steps, and repeating one that was cut short ends the same.
import { setTimeout as delay } from "node:timers/promises";
import { isSessionError } from "@mobkit/session";
import { exportSession, importSession } from "@mobkit/session/bundle";

export const says = (content) => ({ role: "user", content });
const long = (text) => says(`${text} `.repeat(2500));
const asks = (...ids) => ({
  role: "assistant",
  content: ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "look", input: {} })),
});
const answers = (toolCallId) => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId, toolName: "look", output: { type: "text", value: "seen" } }],
});

const TTL_MS = 1;

/** On a fast machine the next step comes before the lease or claim of the one before has run out. */
const runOut = () => delay(2 * TTL_MS);

/** The session of a member, leased for as long as a step takes. */
async function leased(store, member) {
  await runOut();
  const { sessionId } = await store.members.get(member);
  const lease = await store.acquireLease(sessionId, { owner: "campaign", ttlMs: TTL_MS });
  const { rev, len } = await store.head(sessionId);
  return { sessionId, rev, len, terms: { lease, expectedRev: rev } };
}

async function append(store, member, request) {
  const { sessionId, terms } = await leased(store, member);
  await store.append(sessionId, { ...terms, ...request });
}

async function commitFork(store, source, child) {
  const { sessionId } = await store.members.get(source);
  const { operation } = await store.forks.commit({
    source: { member: source, sessionId },
    child: { member: child, role: "general", labels: {} },
    whileRunning: "settled",
    idempotencyKey: `key of ${child}`,
    initialMessage: says("begin"),
    request: { child },
    requestDigest: child,
    claim: { owner: "campaign", ttlMs: TTL_MS },
  });
  return operation;
}

/** Runs `end` with a new claim on a committed fork; one that has ended so before is left alone. */
async function endFork(store, child, state, end) {
  const operation = await store.operations.ofKey(`key of ${child}`);
  if (operation.state === state) return;
  await runOut();
  const claim = await store.operations.claim({ operationId: operation.id, owner: "campaign", ttlMs: TTL_MS });
  await end({ operationId: operation.id, claim });
}

const seat = (store, child) => endFork(store, child, "seated", ({ claim }) => store.forks.seat({ claim }));

/** Names a session's messages from its beginning. */
async function idsOf(store, member, count) {
  const { sessionId } = await store.members.get(member);
  const ids = [];
  for await (const { id } of store.read(sessionId, { to: count })) ids.push(id);
  return { sessionId, messageIds: ids };
}

/** A deep session whose parent is deleted, cancelled rows, shared and loose blobs, a waiting fork. */
export async function prepare(store) {
  await store.createSession({ member: "root", role: "general" });
  await append(store, "root", { messages: [says("first"), long("secret"), says("third")] });
  await commitFork(store, "root", "deep");
  await seat(store, "deep");
  await commitFork(store, "root", "waiting");
  await store.createSession({ member: "planner", role: "general" });
  await append(store, "planner", { messages: [says("hello"), long("body")] });
  const { sessionId, terms, rev, len } = await leased(store, "deep");
  for (let at = 0; at < 34; at += 1) {
    const expectedRev = rev + 2 * at;
    const messages = [says(`kept ${at}`), at === 0 ? long("wrong") : says("wrong")];
    await store.append(sessionId, { ...terms, expectedRev, messages });
    await store.cancel(sessionId, {
      ...terms,
      expectedRev: expectedRev + 1,
      to: len + at + 1,
      reason: "wrong",
    });
  }
  const parent = await store.members.get("root");
  await store.setState(parent.sessionId, { state: "tombstone" });
  await store.blobs.put("loose");
}

/** Steps by operation; `path` is the store's. */
export const operations = {
  create: [(store) => store.createSession({ member: "new", role: "general" }).catch(unlessThere)],
  append: [
    (store) =>
      append(store, "planner", {
        messages: [says("a"), long("b")],
        writeId: "w1",
        runTurn: "t1",
        sideState: [{ kind: "plan", onFork: "copy", value: { open: 1 } }],
        events: [{ key: "e1", kind: "told", payload: {} }],
      }),
  ],
  calls: [
    (store) => append(store, "planner", { messages: [asks("x", "y")], writeId: "w1" }),
    (store) => append(store, "planner", { messages: [answers("y")], writeId: "w2" }),
    (store) => append(store, "planner", { messages: [answers("x"), says("done")], writeId: "w3" }),
  ],
  cancel: [
    async (store) => {
      const { sessionId, terms } = await leased(store, "planner");
      await store.cancel(sessionId, { ...terms, to: 1, reason: "no", messages: [says("so")], writeId: "w1" });
    },
  ],
  commit: [(store) => commitFork(store, "deep", "child")],
  seat: [(store) => seat(store, "waiting")],
  abandon: [(store) => endFork(store, "waiting", "abandoned", (operation) => store.forks.abandon(operation))],
  collect: [(store) => store.upkeep.collect({ graceMs: 0 })],
  redact: [async (store) => store.upkeep.redact(await idsOf(store, "deep", 2))],
  rebase: [(store) => store.upkeep.rebase({ stepSize: 20 })],
  import: [
    async (store) => {
      if (await store.members.get("copy")) return;
      const { sessionId } = await store.members.get("deep");
      const lines = [];
      for await (const line of exportSession(store, sessionId)) lines.push(line);
      await importSession(store, lines, { member: "copy", role: "general" });
    },
  ],
  backup: [
    async (store, path) => {
      const { existsSync } = await import("node:fs");
      if (!existsSync(`${path}.copy`)) await store.backup(`${path}.copy`);
    },
  ],
};

function unlessThere(error) {
  if (!isSessionError(error, "member_already_exists")) throw error;
}
