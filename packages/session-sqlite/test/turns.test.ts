import type { ModelMessage } from "@mobkit/session";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SqliteStore } from "../src/index.ts";
import { leasedSession, says, temporaryStore } from "./temporary-store.ts";

/** Where a fork at each turn of `turnIds` would begin; null for a turn that the transcript doesn't hold. */
function ends(
  store: SqliteStore<ModelMessage>,
  source: { member: string; sessionId: string },
  turnIds: readonly string[],
) {
  return Promise.all(
    turnIds.map((turnId) =>
      store.forks.inspect({ source, at: { turnId } }).then(
        ({ length }) => length,
        (error: { details: { reason: string } }) => (error.details.reason === "unknown_turn" ? null : error),
      ),
    ),
  );
}

// F58–F71
test("a fork at a turn ends with its last message, however turns follow each other and wherever the session was forked", async () => {
  const turn = fc.option(fc.constantFrom("t1", "t2", "t3"), { nil: undefined });
  const turns = fc.array(turn, { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(turns, turns, fc.nat(12), async (before, after, cut) => {
      const store = await temporaryStore();
      const source = await leasedSession(store);
      const write = async (session: typeof source, list: readonly (string | undefined)[]) => {
        for (const turnId of list) {
          const { rev: expectedRev } = await store.head(session.id);
          await store.append(session.id, {
            lease: session.lease,
            expectedRev,
            messages: [says("x")],
            turnId,
          });
        }
      };
      await write(source, before);
      const at = Math.min(cut, before.length);
      const { claim, session } = await store.forks.commit({
        source: { member: "planner", sessionId: source.id },
        at,
        allowEmpty: true,
        child: { member: "child", role: "general", labels: {} },
        request: {},
        requestDigest: "d",
        claim: { owner: "test", ttlMs: 1000 },
      });
      await store.forks.seat({ claim: claim! });
      const lease = await store.acquireLease(session.id, { owner: "test", ttlMs: 60_000 });
      await write({ id: session.id, lease }, after);
      const transcript = [...before.slice(0, at), ...after];
      const names = ["t1", "t2", "t3"] as const;
      const wanted = names.map((name) => transcript.lastIndexOf(name) + 1 || null);
      expect(await ends(store, { member: "child", sessionId: session.id }, names)).toEqual(wanted);
      await store.close();
    }),
    { numRuns: 40 },
  );
});
