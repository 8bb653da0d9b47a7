import assert from "node:assert/strict";
import { committedForkIsRecoverable, createForks } from "@mobkit/fork";
import { memoryStore } from "@mobkit/session";

const store = memoryStore();
const { id } = await store.createSession({ member: "planner", role: "general" });
const lease = await store.acquireLease(id, { owner: "me", ttlMs: 60_000 });
const messages = ["plan the move", "and the budget"].map((content) => ({ role: "user", content }));
await store.append(id, { lease, expectedRev: 0, messages });

let hostIsUp = false;
const provision = async ({ member }) => {
  if (!hostIsUp) throw new Error("no host is up");
  return { agentIdentity: `agent:${member}` }; // start the member on its session here
};
const forks = createForks({ store, provisioner: { provision } });

const spec = { identity: "planner-b", role: "general" };
const failure = await forks.forkMember("planner", spec, { at: 1 }).catch((error) => error);
assert(committedForkIsRecoverable(failure)); // the child exists: resume it, do not fork again
hostIsUp = true;
const child = await forks.resumeFork({ operationId: failure.details.operationId });
assert.equal(child.messageCount, 1);
assert.equal((await store.head(child.sessionId)).parent.sessionId, id);
