import type { ModelMessage } from "@mobkit/session";
import { beforeAll, expect, test } from "vitest";
import { openPostgresStore, type PostgresStore } from "../../src/index.ts";
import { PostgresServer } from "../server/postgres-server.mjs";
import { lossyProxy } from "../support/lossy-proxy.ts";
import { diceOf } from "./dice.ts";
import { makeFaults } from "./fault-maker.ts";
import { Worker } from "./worker.ts";

const { BASIS_CAMPAIGN_SEED, BASIS_CAMPAIGN_FROM, BASIS_CAMPAIGN_RUNS } = process.env;
const seed = Number(BASIS_CAMPAIGN_SEED ?? 1);
const from = Number(BASIS_CAMPAIGN_FROM ?? 0);
const runs = Number(BASIS_CAMPAIGN_RUNS ?? 1);

const machines = 3;
const stepsEach = 16;

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
  return () => server.dispose();
}, 120_000);

// S26, S27, F47–F57, F86–F103: lost replies, killed processes, restarts and crashes at random.
test(
  "under faults at random everything acknowledged stands once, and nothing else stands",
  async () => {
    let faults = 0;
    for (let index = from; index < from + runs; index += 1) {
      try {
        faults += await playCase(index);
      } catch (cause) {
        const repeat = `npm run campaign -- postgres-faults --seed ${seed} --from ${index} --runs 1`;
        throw new Error(`case ${index} failed; to repeat: ${repeat}`, { cause });
      }
    }
    expect(faults).toBeGreaterThan(0);
    process.stdout.write(`postgres-faults: ${runs} cases, ${faults} faults, 0 violations (seed ${seed})\n`);
  },
  6 * 3_600_000,
);

async function playCase(index: number): Promise<number> {
  const schema = `test_campaign_${index}`;
  const proxy = await lossyProxy(server.url);
  const limits = { schema, maxConnections: 3, reconnectMs: 60_000, busyTimeoutMs: 20_000 };
  const beside = await openPostgresStore(server.url, limits);
  const stores = await Promise.all(
    Array.from({ length: machines }, () => openPostgresStore(proxy.url, limits)),
  );
  const workers = stores.map(
    (store, at) => new Worker(store, `m${at}`, diceOf(seed * 7919 + index * 31 + at)),
  );
  const done = new AbortController();
  const faults = makeFaults({ server, proxy, schema, dice: diceOf(seed + index * 104_729) }, done.signal);
  try {
    await Promise.all(workers.map((worker) => worker.run(stepsEach)));
  } finally {
    done.abort();
    await faults;
  }
  await check(beside, workers);
  await Promise.all([beside, ...stores].map((store) => store.close()));
  return faults;
}

async function check(store: PostgresStore<ModelMessage>, workers: readonly Worker[]): Promise<void> {
  const children = workers.flatMap((worker) => worker.children);
  for (const { sessionId, texts } of [...workers, ...children]) {
    const found: unknown[] = [];
    for await (const { body } of store.read(sessionId)) found.push(body.content);
    expect(found).toEqual(texts);
  }
  const sessions = (await store.listSessions({ limit: 1000 })).items;
  expect(sessions.map(({ id, state }) => `${id} ${state}`).toSorted()).toEqual(
    [...workers, ...children].map(({ sessionId }) => `${sessionId} ready`).toSorted(),
  );
  const members = (await store.members.list({ limit: 1000 })).items.map(({ member }) => member);
  expect(members).toHaveLength(workers.length + children.length);
  expect((await store.operations.list({ limit: 1000 })).items.map(({ state }) => state)).toEqual(
    children.map(() => "seated"),
  );
}
