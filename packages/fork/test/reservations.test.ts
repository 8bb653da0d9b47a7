import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createReservations, type Reservation } from "../src/reservations.ts";

const never = new AbortController().signal;
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("reservations", () => {
  it("refuses a source lock after a name lock, and grants the order source, name", async () => {
    const locks = createReservations();
    const wrong = locks.open();
    await wrong.take("name", ["a"], never);
    await expect(wrong.take("source", ["s"], never)).rejects.toThrow(/lock order: source/);
    await expect(wrong.take("name", ["b"], never)).rejects.toThrow(/lock order: name/);
    wrong.release();
    const right = locks.open();
    await right.take("source", ["s"], never);
    await right.take("name", ["a"], never);
    right.release();
    await settle();
    expect(locks.size).toBe(0);
  });

  it("serves waiters of one key in the order in which they came", async () => {
    const locks = createReservations();
    const order: number[] = [];
    const holders = [0, 1, 2, 3].map(() => locks.open());
    const waits = holders.map(async (holder, index) => {
      await holder.take("name", ["a"], never);
      order.push(index);
      holder.release();
    });
    await Promise.all(waits);
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it("takes the names of a batch in one order whatever order they are given in", async () => {
    // F39
    const locks = createReservations();
    const left = locks.open();
    const right = locks.open();
    await Promise.all([
      left.take("name", ["a", "b", "a"], never).then(() => left.release()),
      right.take("name", ["b", "a"], never).then(() => right.release()),
    ]);
    await settle();
    expect(locks.size).toBe(0);
  });

  it("lets a waiter give up with its signal's reason and passes the turn on", async () => {
    const locks = createReservations();
    const holder = locks.open();
    await holder.take("name", ["a"], never);
    const impatient = new AbortController();
    const given = locks.open().take("name", ["a"], impatient.signal);
    const patient = locks.open();
    const waiting = patient.take("name", ["a"], never);
    impatient.abort(new Error("gone"));
    await expect(given).rejects.toThrow("gone");
    holder.release();
    await waiting;
    patient.release();
    await settle();
    expect(locks.size).toBe(0);
    await expect(locks.open().take("name", ["a"], impatient.signal)).rejects.toThrow("gone");
  });

  it("keeps the two kinds of key apart", async () => {
    const locks = createReservations();
    const one = locks.open();
    const other = locks.open();
    await one.take("name", ["a"], never);
    await other.take("source", ["a"], never);
    expect(locks.size).toBe(2);
    one.release();
    other.release();
  });

  it("ends every one of 1,000 random schedules, with one holder a key", async () => {
    // F38
    const key = fc.constantFrom("a", "b", "c");
    const job = fc.record({
      source: fc.option(key, { nil: undefined }),
      names: fc.uniqueArray(key, { minLength: 1 }),
      giveUp: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(job, { maxLength: 12 }), fc.scheduler(), async (jobs, scheduler) => {
        const locks = createReservations();
        const busy = new Set<string>();
        const failures: string[] = [];
        const enter = (keys: readonly string[]): void => {
          for (const held of keys) expect(busy.has(held)).toBe(false);
          for (const held of keys) busy.add(held);
        };
        const work = async (reservation: Reservation, { source, names, giveUp }: (typeof jobs)[number]) => {
          const leaving = new AbortController();
          if (giveUp) void scheduler.schedule(Promise.resolve()).then(() => leaving.abort(new Error("gone")));
          const keys = [
            ...(source === undefined ? [] : [`s:${source}`]),
            ...names.map((name) => `n:${name}`),
          ];
          try {
            if (source !== undefined) await reservation.take("source", [source], never);
            await scheduler.schedule(Promise.resolve());
            await reservation.take("name", names, leaving.signal);
            enter(keys);
            await scheduler.schedule(Promise.resolve());
            for (const held of keys) busy.delete(held);
          } catch (error) {
            failures.push((error as Error).message);
          } finally {
            reservation.release();
          }
        };
        const all = Promise.all(jobs.map((entry) => work(locks.open(), entry)));
        await scheduler.waitFor(all);
        await settle();
        expect(locks.size).toBe(0);
        expect(failures.filter((message) => message !== "gone")).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});
