import pg from "pg";
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openEngineQueue } from "../../src/queue/engine/engine-queue.ts";
import { HandBackError } from "../../src/agent/turn/run-end.ts";
import type { SessionHold, TurnQueue } from "../../src/queue/turn-queue.ts";
import { databaseProxy } from "../harness/database-proxy.ts";
import { databaseOf } from "../harness/database-state.ts";
import { newTurn, ProbeWorker } from "./support/probe-worker.ts";
import { turnQueueSuite } from "./support/queue-suite.ts";

/** Quick looks, so that nothing is waited for. */
const times = { sweepMs: 60, graceMs: 120 };

describe("a queue that the engine runs on Postgres", () => {
  const { url, schema } = databaseOf("engine-queue");
  const sql = async (text: string): Promise<pg.QueryResult> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client.query(text).finally(() => client.end());
  };
  const open = (options: { readonly maxWaiting?: number } = {}): Promise<TurnQueue> =>
    openEngineQueue({ url, schema, ...times, ...options });

  beforeAll(async () => {
    await (await open()).close();
  });
  afterEach(async () => void (await sql(`TRUNCATE "${schema}".workflow_status, "${schema}".queues CASCADE`)));

  turnQueueSuite(open);

  it("gives a turn whose worker has died to another, and one that was claimed and never begun as well", async () => {
    const queue = await open();
    const [died, unbegun, held] = [newTurn(), newTurn(), newTurn()];
    for (const turn of [died, unbegun, held]) await queue.enqueue(turn);
    await sql(
      `UPDATE "${schema}".workflow_status SET status = 'PENDING', executor_id = 'dead', started_at_epoch_ms = 1`,
    );
    const worker = new ProbeWorker({ endsItself: true });
    const holds = new Map<string, SessionHold>([
      [died.sessionId, "expired"],
      [unbegun.sessionId, "free"],
    ]);
    // What this worker has claimed itself it holds, however long its end takes to be written.
    worker.holdOf = async (session, claimedAt) =>
      (claimedAt === 1 ? holds.get(session) : undefined) ?? "held";
    const serving = await queue.serve(worker);
    const { signal } = new AbortController();
    expect(await queue.ended(died.id, signal)).toMatchObject({ state: "ended", worker: "probe" });
    expect(await queue.ended(unbegun.id, signal)).toMatchObject({ state: "ended", worker: "probe" });
    expect(await queue.get(held.id)).toMatchObject({ state: "running", worker: "dead" });
    expect(worker.began.toSorted()).toEqual([died.id, unbegun.id].toSorted());
    await serving.drain(0);
    await queue.close();
  });

  it("tells a sweep when a turn was claimed, and lets go of a claim without touching the next one", async () => {
    const queue = await openEngineQueue({ url, schema, sweepMs: 20, graceMs: 60_000 });
    const turn = newTurn();
    await queue.enqueue(turn);
    const worker = new ProbeWorker();
    const ends: ((reason: unknown) => void)[] = [];
    worker.run = async ({ signal, standing }) => {
      expect(await standing()).not.toBe("lost");
      return new Promise((_, reject) => {
        ends.push(reject);
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    };
    const asked: (number | undefined)[] = [];
    let hold: SessionHold = "free";
    worker.holdOf = async (_session, claimedAt) => {
      asked.push(claimedAt);
      return hold;
    };
    const until = async (isTrue: () => boolean): Promise<void> => {
      while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
    };
    const serving = await queue.serve(worker);
    await until(() => ends.length === 1 && asked.length > 2);
    const { rows } = await sql(`SELECT started_at_epoch_ms::text AS at FROM "${schema}".workflow_status`);
    expect(new Set(asked)).toEqual(new Set([Number((rows[0] as { at: string }).at)]));
    hold = "expired";
    await until(() => ends.length === 2);
    hold = "held";
    const looks = async (count: number): Promise<void> => {
      const before = asked.length;
      await until(() => asked.length >= before + count);
    };
    await looks(5);
    const claims = ends.length;
    ends[0]!(new HandBackError());
    await looks(10);
    expect(ends).toHaveLength(claims);
    expect(await queue.get(turn.id)).toMatchObject({ state: "running", worker: "probe" });
    await serving.drain(0);
    await queue.close();
  });

  it("S27: queues a turn once whose commit was not answered", async () => {
    const proxy = await databaseProxy(url);
    const queue = await openEngineQueue({ url: proxy.url, schema });
    // The first turn of a realm commits the realm's queue, the next one itself.
    for (const turn of [newTurn(), newTurn()]) {
      proxy.muteNext("COMMIT");
      expect(await queue.enqueue(turn)).toMatchObject({ id: turn.id, state: "waiting" });
      expect(await queue.enqueue(turn)).toMatchObject({ id: turn.id, state: "waiting" });
    }
    expect(await queue.list()).toHaveLength(2);
    await queue.close();
  });

  it("brings tables of an earlier release of the engine up to date, and serves", async () => {
    const [before] = (await sql(`SELECT version FROM "${schema}".dbos_migrations`)).rows as {
      version: string;
    }[];
    await sql(`UPDATE "${schema}".dbos_migrations SET version = version::bigint - 1`);
    const queue = await open();
    const worker = new ProbeWorker({ endsItself: true });
    const serving = await queue.serve(worker);
    const turn = newTurn();
    await queue.enqueue(turn);
    expect(await queue.ended(turn.id, new AbortController().signal)).toMatchObject({ state: "ended" });
    expect((await sql(`SELECT version FROM "${schema}".dbos_migrations`)).rows).toEqual([before]);
    await serving.drain(0);
    await queue.close();
  });

  it("goes on with what waits when the machine's clock is set back, once what runs has ended", async () => {
    const reports: string[] = [];
    const queue = await openEngineQueue({ url, schema, ...times, report: (text) => reports.push(text) });
    const worker = new ProbeWorker();
    const serving = await queue.serve(worker);
    const [before, after] = [newTurn(), newTurn()];
    await queue.enqueue(before);
    await worker.until(() => worker.running.includes(before.id));
    const now = Date.now.bind(Date);
    let hours = 0;
    const clock = vi.spyOn(Date, "now").mockImplementation(() => now() - hours * 3_600_000);
    onTestFinished(() => clock.mockRestore());
    // One of the steps falls between two looks of the engine, not into one.
    for (hours = 1; hours < 20; hours += 1) await queue.get(before.id);
    await queue.enqueue(after);
    worker.end(before.id);
    await worker.until(() => worker.running.includes(after.id));
    worker.end(after.id);
    const { signal } = new AbortController();
    for (const { id } of [before, after])
      expect(await queue.ended(id, signal)).toMatchObject({ state: "ended" });
    expect(reports).toEqual([expect.stringContaining("clock was set back")]);
    await serving.drain(0);
    await queue.close();
  });

  it("names the database that does not answer, and no password", async () => {
    const asked = openEngineQueue({ url: "postgres://user:hidden-word@127.0.0.1:1/none", schema });
    await expect(asked).rejects.toThrow("the queue's database did not do this");
    await expect(asked).rejects.not.toThrow("hidden-word");
  });
});
