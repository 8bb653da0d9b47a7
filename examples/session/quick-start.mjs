import assert from "node:assert/strict";
import { isSessionError, memoryStore } from "@mobkit/session";

const store = memoryStore();
const session = await store.createSession({ member: "planner", role: "general" });
const lease = await store.acquireLease(session.id, { owner: "quick-start", ttlMs: 30_000 });

const call = { type: "tool-call", toolCallId: "c1", toolName: "list", input: { path: "." } };
const messages = [
  { role: "user", content: "What is in this folder?" },
  { role: "assistant", content: [call] },
];
const { rev, len, settledLen } = await store.append(session.id, { lease, expectedRev: 0, messages });
assert.deepEqual([rev, len, settledLen], [1, 2, 1]); // the call waits for its result

const early = { lease, expectedRev: rev, messages: [{ role: "user", content: "And?" }] };
const refused = await store.append(session.id, early).catch((error) => error);
assert(isSessionError(refused, "open_calls"));

const output = { type: "text", value: "README.md" };
const answer = { type: "tool-result", toolCallId: "c1", toolName: "list", output };
await store.append(session.id, { lease, expectedRev: rev, messages: [{ role: "tool", content: [answer] }] });
for await (const row of store.read(session.id)) console.log(row.position, row.kind, row.openAfter);
