import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { committedForkIsRecoverable, createForks } from "@mobkit/fork";
import { openSqliteStore } from "@mobkit/session-sqlite";

const path = join(mkdtempSync(join(tmpdir(), "fork-")), "sessions.db");
const request = [
  "planner",
  { identity: "planner-b", role: "general" },
  { at: 2, idempotencyKey: "plan-b" }, // the same key and request: the same child
];

// A planner with three messages; a fork at the second begins where the first answer ended.
let store = await openSqliteStore(path);
const { id } = await store.createSession({ member: "planner", role: "general" });
const lease = await store.acquireLease(id, { owner: "host-1", ttlMs: 30_000 });
const messages = [
  { role: "user", content: "Plan the move." },
  { role: "assistant", content: "By train." },
  { role: "user", content: "Too slow." },
];
await store.append(id, { lease, expectedRev: 0, messages });

// The host that should seat the child is down. The child is committed before anybody is asked to seat it.
const down = { provision: () => Promise.reject(new Error("no host is up")) };
const failure = await createForks({ store, provisioner: down })
  .forkMember(...request)
  .catch((error) => error);
assert(committedForkIsRecoverable(failure));
await store.close(); // and this process ends, too

// Another process, later: what waits is in the ledger, and is resumed by its id.
store = await openSqliteStore(path);
const seated = [];
const up = {
  provision: async ({ member, sessionId }) => {
    seated.push(member); // start the member on that session here
    return { agentIdentity: `agent:${sessionId}` };
  },
};
const forks = createForks({ store, provisioner: up });
const { operationId } = failure.details;
const child = await forks.resumeFork({ operationId });
assert.deepEqual([child.messageCount, seated], [2, ["planner-b"]]);

// Whoever asks again, by the id or by the key, gets the same child, and nobody is seated twice.
const again = await forks.forkMember(...request);
assert.deepEqual([again.sessionId, again.replayed, seated.length], [child.sessionId, true, 1]);
await store.close();
