import { expect, test } from "vitest";
import { openEngineQueue } from "../../src/queue/engine/engine-queue.ts";
import type { TurnClaim, TurnEnding } from "../../src/queue/turn-queue.ts";
import { databaseOf } from "../harness/database-state.ts";
import { newTurn, ProbeWorker } from "../queue/support/probe-worker.ts";
import { campaignSize } from "./campaign-size.ts";

const REALMS = 5;
const { runs } = campaignSize(200);
/** Twenty sessions in each realm of the long form. */
const SESSIONS = Math.max(REALMS, Math.min(100, runs / 10));
const IN_A_REALM = runs / REALMS;
const PROMPT = "x".repeat(10_000);
/** Most that the process may grow by while thousands of prompts wait. */
const MOST_GROWTH = 150 * 1024 * 1024;

/** Ends each turn at once, and keeps in which order they began. */
class Flooded extends ProbeWorker {
  readonly order: string[] = [];
  twice = 0;
  highest = 0;
  readonly #held = new Set<string>();

  override async run({ turn }: TurnClaim): Promise<TurnEnding> {
    const { sessionId } = turn;
    if (this.#held.has(sessionId)) this.twice += 1;
    this.#held.add(sessionId);
    this.order.push(turn.id);
    this.highest = Math.max(this.highest, process.memoryUsage().heapUsed);
    await new Promise((resolve) => setImmediate(resolve));
    this.#held.delete(sessionId);
    return { outcome: "completed" };
  }
}

const realmOf = (id: string): string => id.split(".")[0]!;
const sessionOf = (id: string): string => id.split(".").slice(0, 2).join(".");
const numberOf = (id: string): number => Number(id.split(".")[2]);

function countBy(ids: readonly string[], keyOf: (id: string) => string): readonly number[] {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(keyOf(id), (counts.get(keyOf(id)) ?? 0) + 1);
  return [...counts.values()];
}

test(
  "a flood of turns: each session in its order, none left behind, memory stays, one too many is refused",
  { timeout: 60_000 + runs * 200 },
  async () => {
    const { url, schema } = databaseOf(`queue-flood ${process.pid}`);
    const queue = await openEngineQueue({ url, schema, maxWaiting: IN_A_REALM, sweepMs: 1_000 });
    const inRealm = SESSIONS / REALMS;
    for (let at = 0; at < runs; at += REALMS)
      await Promise.all(
        Array.from({ length: REALMS }, (_, realm) => {
          const number = at / REALMS;
          const sessionId = `r${realm}.s${number % inRealm}`;
          return queue.enqueue(
            newTurn({ id: `${sessionId}.${number}`, sessionId, realm: `r${realm}`, prompt: PROMPT }),
          );
        }),
      );
    await expect(queue.enqueue(newTurn({ realm: "r0" }))).rejects.toMatchObject({
      code: "queue_full",
      details: { realm: "r0", waiting: IN_A_REALM, maxWaiting: IN_A_REALM },
    });
    const before = process.memoryUsage().heapUsed;
    const worker = new Flooded({ concurrency: 16 });
    const begun = performance.now();
    const serving = await queue.serve(worker);
    while (worker.order.length < runs) await new Promise((resolve) => setTimeout(resolve, 20));
    const seconds = (performance.now() - begun) / 1000;
    await serving.drain(30_000);
    await queue.close();

    expect(new Set(worker.order).size).toBe(runs);
    expect(worker.order).toHaveLength(runs);
    expect(worker.twice).toBe(0);
    for (const session of new Set(worker.order.map(sessionOf))) {
      const numbers = worker.order.filter((id) => sessionOf(id) === session).map(numberOf);
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
    }
    const half = worker.order.slice(0, runs / 2);
    const [realms, sessions] = [countBy(half, realmOf), countBy(half, sessionOf)];
    expect(realms).toHaveLength(REALMS);
    expect(sessions).toHaveLength(SESSIONS);
    expect(Math.min(...realms)).toBeGreaterThan(runs / 2 / REALMS / 4);
    expect(Math.min(...sessions)).toBeGreaterThan(runs / 2 / SESSIONS / 5);
    expect(worker.highest - before).toBeLessThan(MOST_GROWTH);
    process.stdout.write(
      `${runs} turns of ${SESSIONS} sessions in ${seconds.toFixed(1)} s; at half time a session had ${Math.min(...sessions)} to ${Math.max(...sessions)}, a realm ${Math.min(...realms)} to ${Math.max(...realms)}; grown by ${Math.round((worker.highest - before) / 1024 / 1024)} MB\n`,
    );
  },
);
