import { isSessionError, type ModelMessage } from "@mobkit/session";
import { expect, onTestFinished, test } from "vitest";
import { openPostgresStore, type PostgresStore } from "../src/index.ts";
import { PostgresServer } from "./server/postgres-server.mjs";
import { leasedSession, says } from "./support/test-database.ts";

type Store = PostgresStore<ModelMessage>;

async function serverAndStore(durable: boolean): Promise<{ server: PostgresServer; store: Store }> {
  const server = await PostgresServer.start({ durable });
  const store = await openPostgresStore(server.url, {
    schema: "sessions",
    reconnectMs: 30_000,
    maxConnections: 6,
  });
  onTestFinished(async () => {
    await store.close();
    await server.dispose();
  });
  return { server, store };
}

/** A writer that goes on until it is told to stop; answers what was acknowledged. */
function writer(store: Store, member: string) {
  const stopping = new AbortController();
  const acknowledged: string[] = [];
  let told: () => void = () => undefined;
  const done = (async () => {
    const { id, lease } = await leasedSession(store, member);
    for (let rev = 0; !stopping.signal.aborted; rev += 1) {
      const text = `${member}-${rev}`;
      const writeId = `w${rev}`;
      const request = {
        lease,
        expectedRev: rev,
        messages: [says(text)],
        ...(rev % 2 === 0 ? { writeId } : {}),
      };
      await store.append(id, request);
      acknowledged.push(text);
      told();
    }
    return { id, acknowledged };
  })();
  return {
    /** Resolves once so many more appends have been acknowledged. */
    async more(count: number): Promise<void> {
      const goal = acknowledged.length + count;
      while (acknowledged.length < goal) {
        await Promise.race([new Promise<void>((resolve) => (told = resolve)), done]);
      }
    },
    stop(): typeof done {
      stopping.abort();
      return done;
    },
  };
}

/** Every acknowledged message stands once, in its order, and nothing else does. */
async function checkAll(store: Store, writers: readonly ReturnType<typeof writer>[]): Promise<number> {
  let count = 0;
  for (const one of writers) {
    const { id, acknowledged } = await one.stop();
    const texts: unknown[] = [];
    for await (const { body } of store.read(id)) texts.push(body.content);
    expect(texts).toEqual(acknowledged);
    count += texts.length;
  }
  return count;
}

// S27
test("restarts during load: each acknowledged append stands once, and no writer learns of it", async () => {
  const { server, store } = await serverAndStore(false);
  const writers = ["a", "b", "c", "d"].map((member) => writer(store, member));
  for (let restart = 0; restart < 3; restart += 1) {
    await Promise.all(writers.map((one) => one.more(5)));
    await server.restart();
  }
  await Promise.all(writers.map((one) => one.more(5)));
  expect(await checkAll(store, writers)).toBeGreaterThanOrEqual(80);
});

// Durability: with fsync on, a killed server comes back with everything that was acknowledged.
test("kill -9 of the server during load loses nothing that was acknowledged", async () => {
  const { server, store } = await serverAndStore(true);
  const writers = ["a", "b", "c", "d"].map((member) => writer(store, member));
  for (let kill = 0; kill < 2; kill += 1) {
    await Promise.all(writers.map((one) => one.more(5)));
    await server.stop("SIGKILL");
    await server.start();
  }
  await Promise.all(writers.map((one) => one.more(5)));
  expect(await checkAll(store, writers)).toBeGreaterThanOrEqual(60);
});

test("a server that stays away is told as it is, and what was asked for meanwhile is not there later", async () => {
  const server = await PostgresServer.start();
  const store = await openPostgresStore(server.url, { schema: "sessions", reconnectMs: 200 });
  onTestFinished(async () => {
    await store.close();
    await server.dispose();
  });
  const { id, lease } = await leasedSession(store);
  await server.stop();
  const refused = await store
    .append(id, { lease, expectedRev: 0, messages: [says("a")] })
    .catch((error: unknown) => error);
  expect(isSessionError(refused, "store_unavailable") && refused.details.reason).toMatch(
    /unreachable|connection_lost/,
  );
  await expect(store.head(id)).rejects.toMatchObject({ code: "store_unavailable" });
  await server.start();
  expect(await store.head(id)).toMatchObject({ len: 0 });
  expect(await store.append(id, { lease, expectedRev: 0, messages: [says("a")] })).toMatchObject({ len: 1 });
});
