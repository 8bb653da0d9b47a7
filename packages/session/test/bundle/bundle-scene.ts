import { sha256 } from "@basis/core";
import { manualClock } from "@basis/core/testing";
import {
  isSessionError,
  memoryStore,
  type Lease,
  type MemoryStore,
  type ModelMessage,
} from "@mobkit/session";
import { exportSession, importSession } from "@mobkit/session/bundle";

export type Store = MemoryStore<ModelMessage>;
export type Line = { type: string } & Record<string, unknown>;

export const says = (content: string): ModelMessage => ({ role: "user", content });
export const asks = (toolCallId: string): ModelMessage => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId, toolName: "look", input: {} }],
});
export const answers = (toolCallId: string): ModelMessage => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId, toolName: "look", output: { type: "text", value: "seen" } }],
});

export async function bundleOf(store: Store, sessionId: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportSession(store, sessionId, { clock: manualClock() })) lines.push(line);
  return lines;
}

/** A fork with all that a bundle can hold: an ancestor, a long body, a blob beside, a compaction, a rollback, side state, an open call. */
export async function scene() {
  const store: Store = memoryStore({ clock: manualClock() });
  const { id: rootId } = await store.createSession({ member: "root", role: "general" });
  const lease: Lease = await store.acquireLease(rootId, { owner: "test", ttlMs: 60_000 });
  const head = await store.blobs.put("the request's head");
  const beside = await store.blobs.put(new Uint8Array([0, 255, 7]));
  const messages = [says("a"), says("long ".repeat(4000)), asks("x"), answers("x")];
  const usage = { inputTokens: 7 };
  await store.append(rootId, {
    lease,
    expectedRev: 0,
    messages,
    turnId: "t1",
    usage,
    requestHead: head.digest,
  });
  const mark = { summarises: 2, keepFrom: 2 };
  await store.append(rootId, {
    lease,
    expectedRev: 1,
    messages: [says("summary")],
    mark,
    blobs: [beside.digest],
  });
  const { session, claim } = await store.forks.commit({
    source: { member: "root", sessionId: rootId },
    child: { member: "child", role: "general", labels: { team: "red" } },
    request: {},
    requestDigest: "r",
    claim: { owner: "test", ttlMs: 1000 },
  });
  await store.forks.seat({ claim: claim! });
  const own = await store.acquireLease(session.id, { owner: "test", ttlMs: 60_000 });
  await store.append(session.id, { lease: own, expectedRev: 0, messages: [says("wrong")] });
  await store.cancel(session.id, {
    lease: own,
    expectedRev: 1,
    to: 5,
    reason: "it was",
    messages: [says("b")],
  });
  const sideState = [{ kind: "todo", onFork: "copy", value: { open: ["é"] } } as const];
  await store.append(session.id, { lease: own, expectedRev: 2, messages: [asks("y")], sideState });
  return { store, rootId, id: session.id, lines: await bundleOf(store, session.id) };
}

export const parse = (lines: readonly string[]): Line[] => lines.map((line) => JSON.parse(line) as Line);

/** The lines as text, with an end whose counts and digest fit what stands before it now. */
export function seal(lines: readonly (Line | string)[]): string[] {
  const body = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).slice(0, -1);
  let digest = "";
  for (const line of body) digest = `sha256:${sha256(`${digest}\n${line}`)}`;
  const end = { ...(lines.at(-1) as Line), digest };
  return [...body, JSON.stringify(end)];
}

/** What an import into an empty store answers: the refusal, with what it left behind, or undefined. */
export async function refusalOf(
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<Record<string, unknown> | undefined> {
  const store: Store = memoryStore();
  try {
    await importSession(store, lines, { member: "copy", role: "general" });
    return undefined;
  } catch (error) {
    if (!isSessionError(error)) throw error;
    const left = [
      ...(await store.listSessions({ state: "ready" })).items,
      ...(await store.listSessions({ state: "pending" })).items,
      ...(await store.members.list()).items,
      ...(await store.outbox.list()).items,
    ];
    if (left.length > 0)
      throw new Error(`the refusal left something: ${JSON.stringify(left)}`, { cause: error });
    return { code: error.code, ...error.details };
  }
}
