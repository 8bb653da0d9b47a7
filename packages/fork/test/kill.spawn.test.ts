import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSqliteStore } from "@mobkit/session-sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createForks } from "../src/index.ts";
import { story } from "./support/messages.ts";
import { recordingProvisioner } from "./support/provisioners.ts";
import { messages, seed } from "./support/sessions.ts";

const host = fileURLToPath(new URL("processes/dying-host.mjs", import.meta.url));
const child = { identity: "child", role: "general", initialMessage: "go on" };

/** Where a host is killed, and what the ledger holds then. */
const POINTS = {
  "before commit": [],
  "after commit": ["committed"],
  "before build": ["committed"],
  "after build": ["committed"],
  "before seat": ["committed"],
  "after seat": ["seated"],
} as const;

describe("kill -9 of a forking host", () => {
  let directory: string;
  let path: string;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), "fork-kill-"));
    path = join(directory, "store.db");
    const store = await openSqliteStore(path);
    await seed(store, "planner", story);
    await store.close();
  });

  afterEach(() => rmSync(directory, { recursive: true }));

  const run = (point: string): string => {
    const { signal, stdout, stderr } = spawnSync(process.execPath, [host, path, point], { encoding: "utf8" });
    return signal ?? `${stdout}${stderr}`;
  };

  it("does not happen to a host that is told no point", () => {
    expect(run("nowhere")).toBe("done\n");
  });

  it.each(Object.entries(POINTS))(
    "%s leaves a fork that is absent or can be resumed",
    async (point, left) => {
      // F90, F91, S26
      expect(run(point)).toBe("SIGKILL");
      const store = await openSqliteStore(path);
      const forks = createForks({ store, provisioner: recordingProvisioner() });
      const found = (await forks.listForks()).items;
      expect(found.map(({ state }) => state)).toEqual(left);
      for (const { operationId, sessionId } of found) {
        expect((await forks.resumeFork({ operationId })).sessionId).toBe(sessionId);
      }
      const made = await forks.forkMember("planner", child, { idempotencyKey: "key-1" });
      expect(made.replayed).toBe(left.length > 0);
      expect(await messages(store, made.sessionId)).toEqual(story);
      expect((await store.outbox.list({ kind: "session.input" })).items).toHaveLength(1);
      expect((await store.listSessions({ state: "pending" })).items).toEqual([]);
      await store.close();
    },
  );
});
