import { describe, expect, it } from "vitest";
import { openLocalQueue } from "../../src/queue/local-queue.ts";
import { memoryTurnRows } from "../../src/queue/turn-rows.ts";
import { newTurn, ProbeWorker } from "./support/probe-worker.ts";
import { turnQueueSuite } from "./support/queue-suite.ts";

describe("a queue of one process", () => {
  turnQueueSuite(({ maxWaiting }) => openLocalQueue({ rows: memoryTurnRows(), maxWaiting }));

  it("runs what the process before it had left waiting and running", async () => {
    const rows = memoryTurnRows();
    const before = await openLocalQueue({ rows });
    const [running, waiting] = [newTurn({ sessionId: "a" }), newTurn({ sessionId: "a" })];
    await before.enqueue(running);
    await before.enqueue(waiting);
    const dying = new ProbeWorker();
    await before.serve(dying);
    await dying.until(() => dying.running.length === 1);
    const after = await openLocalQueue({ rows });
    const worker = new ProbeWorker({ endsItself: true });
    await after.serve(worker);
    await after.ended(waiting.id, new AbortController().signal);
    expect(worker.began).toEqual([running.id, waiting.id]);
    await after.close();
    await expect(after.enqueue(newTurn())).rejects.toThrow("the queue is closed");
  });
});
