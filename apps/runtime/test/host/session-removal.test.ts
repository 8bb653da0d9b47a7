import { manualClock, type ManualClock } from "@basis/core/testing";
import { createForks } from "@mobkit/fork";
import { isSessionError } from "@mobkit/session";
import { expect, test } from "vitest";
import { removeSession, type RemovalPorts } from "../../src/host/session-removal.ts";
import { memoryState } from "../../src/store/open-state.ts";

function ports(clock: ManualClock): RemovalPorts {
  const { store, ledger, events } = memoryState({ clock });
  const forks = createForks({ store, provisioner: { provision: async () => ({}) }, clock });
  return { store, ledger, events, forks, clock, signal: new AbortController().signal };
}

test("an import that was killed is deleted when its lease has run out, and refused before, in its own words", async () => {
  const clock = manualClock();
  const removal = ports(clock);
  const { store } = removal;
  const lease = await store.transfer!.begin();
  const session = await store.head(lease.sessionId);
  const early = await removeSession(removal, session).catch((error: unknown) => error);
  expect(isSessionError(early, "lease_held") && early.message).toMatch(/is being imported/);
  clock.advance(lease.ttlMs + 1);
  expect(await removeSession(removal, session)).toBe(true);
  expect((await store.head(session.id)).state).toBe("tombstone");
});

test("a fork that was never seated is given up, and its name is free", async () => {
  const clock = manualClock();
  const removal = ports(clock);
  const { store } = removal;
  const source = await store.createSession({ member: "trunk", role: "main" });
  const { session } = await store.forks.commit({
    source: { member: "trunk", sessionId: source.id },
    child: { member: "branch", role: "main", labels: {} },
    allowEmpty: true,
    requestDigest: "d",
    request: {},
    claim: { owner: "dead", ttlMs: 1000 },
  });
  clock.advance(1001);
  expect(await removeSession(removal, session)).toBe(true);
  expect(await store.members.holder("branch")).toBeUndefined();
});
