import type { ModelMessage } from "@mobkit/session";
import fc from "fast-check";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openSqliteStore, type SqliteStore } from "../src/index.ts";
import { says, temporaryPath } from "./temporary-store.ts";

const secret = "hunter2-hunter2-hunter2";

/** What happens to a session, with sizes that make pages split, overflow and empty again. */
const step = fc.record({
  what: fc.constantFrom("append", "append", "append", "cancel", "fork"),
  size: fc.oneof(fc.nat(200), fc.nat(5000), fc.nat(40_000)),
  aside: fc.nat(8000),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** One session that says the secret in everything, and forks that carry it on. */
async function tell(store: SqliteStore<ModelMessage>, steps: readonly Step[]) {
  const session = await store.createSession({ member: "planner", role: "general" });
  const lease = await store.acquireLease(session.id, { owner: "test", ttlMs: 60_000 });
  const ids: string[] = [];
  for (const [at, { what, size, aside }] of steps.entries()) {
    const { rev: expectedRev, len } = await store.head(session.id);
    const body = `${secret} ${"x".repeat(size)} ${secret}`;
    if (what === "cancel") {
      await store.cancel(session.id, { lease, expectedRev, to: Math.floor(len / 2), reason: secret });
    } else if (what === "fork" && len > 0) {
      await store.forks.commit({
        source: { member: "planner", sessionId: session.id },
        child: { member: `child-${at}`, role: "general", labels: {} },
        request: { why: body.slice(0, aside) },
        requestDigest: "digest",
        initialMessage: says(body.slice(0, aside + secret.length)),
        claim: { owner: "test", ttlMs: 1000 },
      });
    } else {
      const sideState = [{ kind: "board", onFork: "copy", value: [secret, "y".repeat(aside)] }] as const;
      const events = [{ key: `k${at}`, kind: "told", payload: { secret } }];
      const messages = [says(body)];
      ids.push(...(await store.append(session.id, { lease, expectedRev, messages, sideState, events })).ids);
    }
  }
  return { sessionId: session.id, ids };
}

// S32
test("whatever was told, changed and taken back, a redaction leaves nothing of the secret in the file", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const store = await openSqliteStore(temporaryPath());
      const { sessionId, ids } = await tell(store, [{ what: "append", size: 1, aside: 1 }, ...steps]);
      await store.upkeep.redact({ sessionId, messageIds: ids, secrets: [secret] });
      await store.close();
      const files = [store.path, `${store.path}-wal`].filter((file) => existsSync(file));
      expect(files.filter((file) => readFileSync(file).includes(secret))).toEqual([]);
    }),
    { numRuns: 8 },
  );
});
