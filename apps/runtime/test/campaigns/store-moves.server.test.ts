import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { moveState } from "../../src/store/move/move-state.ts";
import { openState, type HostState } from "../../src/store/open-state.ts";
import { openDatabaseState } from "../harness/database-state.ts";
import { campaignSize } from "./campaign-size.ts";

/** A run is a thousand messages. */
const { runs } = campaignSize(3);
const { signal } = new AbortController();

async function files(): Promise<HostState> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "basis-moves-")));
  const state = await openState(directory);
  onTestFinished(async () => {
    await state.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return state;
}

test("a long session is moved into a database and back, and is the same", { timeout: 600_000 }, async () => {
  const from = await files();
  const { id } = await from.store.createSession({ member: "long", role: "main" });
  const lease = await from.store.acquireLease(id, { owner: "test", ttlMs: 600_000 });
  for (let at = 0; at < runs; at += 1) {
    const messages = Array.from({ length: 1000 }, (_, n) => ({
      role: "user" as const,
      content: `message ${at} ${n} ${"x".repeat(200)}`,
    }));
    await from.store.append(id, { lease, expectedRev: at, messages });
    from.events.emit({ session: id }, "notice", { text: `${at}` });
  }
  await from.store.releaseLease(lease);
  const to = await openDatabaseState(`moves ${process.pid} ${Date.now()}`);
  onTestFinished(() => to.close());
  const report = (): void => undefined;
  const there = await moveState(
    { name: "files", state: from },
    { name: "database", state: to },
    { signal, report },
  );
  expect(there).toMatchObject({ sessions: 1, messages: runs * 1000, events: runs });
  const back = await files();
  expect(
    await moveState({ name: "database", state: to }, { name: "back", state: back }, { signal, report }),
  ).toEqual(there);
});
