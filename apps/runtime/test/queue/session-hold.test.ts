import { SessionError } from "@mobkit/session";
import { describe, expect, it } from "vitest";
import { TurnWorker, type TurnWorkerParts } from "../../src/queue/turn-worker.ts";
import { DatabaseClock } from "../../src/store/postgres/database-clock.ts";
import { fitOf } from "./support/probe-worker.ts";

const LEASE_MS = 10_000;
/** Long before this machine's clock. */
const expiresAt = Date.UTC(2001, 0, 1);

/** A worker on a database that says what time it is and who holds the only session. */
function workerAt(now: number, owner: string | null = "elsewhere:1:a"): TurnWorker {
  const head = async (id: string) => {
    if (id !== "s")
      throw new SessionError("unknown_session", "there is none", { details: { sessionId: id } });
    return { lease: { owner, epoch: 1, expiresAt: owner === null ? null : expiresAt } };
  };
  const state = { store: { head }, database: { clock: { now: async () => now } } };
  const parts = { name: "w", concurrency: 1, fit: fitOf(), leaseMs: LEASE_MS, report: () => undefined };
  return new TurnWorker({ ...parts, runtime: { state } } as unknown as TurnWorkerParts);
}

describe("who works on a session (S24)", () => {
  it("is told by the lease and the database's clock, whatever this machine's says", async () => {
    expect(await workerAt(expiresAt - 1).holdOf("s")).toBe("held");
    expect(await workerAt(expiresAt + LEASE_MS / 10 - 1).holdOf("s")).toBe("held");
    expect(await workerAt(expiresAt + LEASE_MS / 10).holdOf("s")).toBe("expired");
    expect(await workerAt(expiresAt, null).holdOf("s")).toBe("free");
    expect(await workerAt(expiresAt).holdOf("another")).toBe("expired");
  });

  it("is nobody where the lease ran out before the turn was claimed: its claimer has not begun", async () => {
    const now = expiresAt + LEASE_MS;
    expect(await workerAt(now).holdOf("s", expiresAt - 1)).toBe("expired");
    expect(await workerAt(now).holdOf("s", expiresAt)).toBe("free");
    expect(await workerAt(expiresAt - 1).holdOf("s", expiresAt - LEASE_MS)).toBe("held");
  });
});

describe("the database's clock", () => {
  it("is asked once for a while, goes on from there, and passes on what the database refuses", async () => {
    const answers: (number | Error)[] = [new Error("away"), expiresAt, new Error("asked twice")];
    const statement = async () => {
      const answer = answers.shift();
      if (typeof answer !== "number") throw answer ?? new Error("asked three times");
      return [{ now: String(answer) }];
    };
    const clock = new DatabaseClock({ statement });
    await expect(clock.now()).rejects.toThrow("away");
    const first = await clock.now();
    expect(first).toBeGreaterThanOrEqual(expiresAt);
    expect(first).toBeLessThan(expiresAt + 5_000);
    expect(await clock.now()).toBeGreaterThanOrEqual(first);
  });
});
