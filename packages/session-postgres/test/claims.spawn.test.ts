import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ModelMessage } from "@mobkit/session";
import { beforeAll, expect, test } from "vitest";
import { openPostgresStore, type PostgresStore } from "../src/index.ts";
import { PostgresServer } from "./server/postgres-server.mjs";
import { forkOf } from "./support/forks.ts";
import { leasedSession, says } from "./support/test-database.ts";

const script = fileURLToPath(new URL("fixtures/claiming-process.mjs", import.meta.url));
const forks = 40;

let server: PostgresServer;
let store: PostgresStore<ModelMessage>;

beforeAll(async () => {
  server = await PostgresServer.start();
  store = await openPostgresStore(server.url, { schema: "sessions" });
  return async () => {
    await store.close();
    await server.dispose();
  };
});

/** A process that waits for `go`, and what it seated then. */
async function claimer(name: string) {
  const child = spawn(process.execPath, [script, server.url, name], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("ready");
  return {
    async go(): Promise<readonly string[]> {
      child.stdin.end("go\n");
      const { value } = await lines.next();
      await once(child, "close");
      return JSON.parse(String(value)) as string[];
    },
  };
}

// S26
test("eight processes that resume the same forks seat each of them once", async () => {
  const { id, lease } = await leasedSession(store);
  await store.append(id, { lease, expectedRev: 0, messages: [says("a")] });
  const committed = [];
  for (let at = 0; at < forks; at += 1) {
    const { operation, claim } = await forkOf(store, id, {
      member: `child-${at}`,
      initialMessage: says("go on"),
    });
    await store.operations.fail(claim!, { reason: "the host went away" });
    committed.push(operation.id);
  }
  const claimers = await Promise.all(Array.from({ length: 8 }, (_, at) => claimer(`host-${at}`)));
  const seated = await Promise.all(claimers.map((one) => one.go()));
  expect(seated.flat().toSorted()).toEqual(committed.toSorted());
  expect((await store.operations.list({ state: "seated", limit: 1000 })).items).toHaveLength(forks);
  expect((await store.members.list({ limit: 1000 })).items).toHaveLength(forks + 1);
  expect((await store.outbox.list({ kind: "session.input", limit: 1000 })).items).toHaveLength(forks);
});
