import type { ModelMessage, SessionState, SessionStore } from "@mobkit/session";
import { blobDigest } from "@mobkit/session/rules";

const states: readonly SessionState[] = ["pending", "ready", "archived", "quarantined", "tombstone"];
const sideKinds = ["board", "plan", "cursor"];

/** Everything that a store's calls tell of what it holds; blobs by the digests given. */
export async function contentsOf(
  store: SessionStore<ModelMessage, never>,
  digests: readonly string[],
): Promise<unknown> {
  const sessions = [];
  for (const state of states) {
    for (const { id } of (await store.listSessions({ state })).items) {
      sessions.push(await sessionOf(store, id));
    }
  }
  const contents = {
    sessions,
    members: (await store.members.list()).items,
    operations: (await store.operations.list()).items,
    outbox: (await store.outbox.list()).items,
    blobs: await Promise.all(digests.map((digest) => blobOf(store, digest))),
  };
  return JSON.parse(JSON.stringify(contents, shortened)) as unknown;
}

async function sessionOf(store: SessionStore<ModelMessage, never>, id: string): Promise<unknown> {
  const record = await store.head(id);
  const sideState = await Promise.all(sideKinds.map((kind) => store.sideState(id, kind)));
  const marks = { context: await store.contextMark(id), cancel: await store.cancelMarks(id) };
  const rows = [];
  if (record.state !== "tombstone") for await (const row of store.read(id)) rows.push(row);
  return { record, rows, marks, sideState };
}

async function blobOf(store: SessionStore<ModelMessage, never>, digest: string): Promise<unknown> {
  const content = await store.blobs.get(digest);
  return { digest, text: content === undefined ? null : new TextDecoder().decode(content) };
}

/** Long texts stand as their digests. */
function shortened(_key: string, value: unknown): unknown {
  return typeof value === "string" && value.length > 200 ? blobDigest(value) : value;
}
