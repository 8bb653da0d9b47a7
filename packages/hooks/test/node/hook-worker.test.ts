import { describe, expect, it } from "vitest";
import { scriptedWorker } from "./scripted-worker.ts";

const LATE = "did not answer within 1000ms and was killed";

describe("a worker", () => {
  it("is started by its first question, and sent nothing before its hello", async () => {
    const { ask, processes, pass } = scriptedWorker();
    expect(processes).toEqual([]);
    const first = ask('{"n":1}');
    const second = ask('{"n":2}');
    await pass(100);
    expect(processes.map(({ sent }) => sent.length)).toEqual([0]);
    processes[0]!.hello();
    expect(processes[0]!.sent).toEqual([
      { id: expect.any(String), deadline_ms: 900, request: { n: 1 } },
      { id: expect.any(String), deadline_ms: 900, request: { n: 2 } },
    ]);
    // W1
    processes[0]!.answer(1, { decision: "deny" });
    await pass(0);
    expect([first.said, second.said]).toEqual([undefined, "deny"]);
    processes[0]!.answer(0);
    await pass(0);
    expect([first.said, processes.length]).toEqual(["allow", 1]);
  });

  it("gets an id for every question that says nothing about the next one", async () => {
    // S20
    const { ask, ready, processes } = scriptedWorker();
    for (let n = 0; n < 100; n += 1) ask();
    ready();
    const ids = processes[0]!.sent.map(({ id }) => id);
    expect(new Set(ids).size).toBe(100);
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  });

  it("fails one question with an answer that is no decision, and goes on", async () => {
    const { ask, ready, pass } = scriptedWorker();
    const [first, second] = [ask(), ask()];
    const process = ready();
    process.answer(0, { decision: "perhaps" });
    process.answer(1);
    await pass(0);
    expect(first.said).toBe("printed something that is not a decision (unknown decision)");
    expect([second.said, process.isKilled]).toEqual(["allow", false]);
  });

  it("starts no process for a question whose turn was over before it was asked", async () => {
    const { ask, processes, pass } = scriptedWorker();
    const asked = ask("{}", { signal: AbortSignal.abort() });
    await pass(0);
    expect([asked.said, processes.length]).toEqual(["was cut off because the turn was aborted", 0]);
  });
});

describe("at a deadline a worker", () => {
  it("is late, though the host was busy when it passed and reads the answer first", async () => {
    // W3
    const { ask, clock, ready, pass } = scriptedWorker();
    const asked = [ask(), ask("{}", { timeoutMs: 2000 })];
    const process = ready();
    clock.advance(1001);
    process.answer(0);
    await pass(0);
    expect([asked.map(({ said }) => said), process.isKilled]).toEqual([[LATE, undefined], true]);
    const next = ready();
    next.answer(0);
    await pass(0);
    expect(asked.map(({ said }) => said)).toEqual([LATE, "allow"]);
  });

  it("is killed, and what else it was asked is asked once more, with its whole time", async () => {
    const { ask, ready, processes, pass } = scriptedWorker();
    const slow = ask('"slow"');
    const old = ready();
    await pass(900);
    const other = ask('"other"');
    await pass(100);
    expect([slow.said, other.said, old.isKilled]).toEqual([LATE, undefined, true]);
    await pass(950);
    expect(processes).toHaveLength(2);
    const fresh = ready();
    expect(fresh.sent).toEqual([{ id: expect.any(String), deadline_ms: 50, request: "other" }]);
    expect(fresh.sent[0]!.id).not.toBe(old.sent[1]!.id);
    fresh.answer(0);
    await pass(0);
    expect(other.said).toBe("allow");
  });

  it("answers too late for anybody, in its own name or the next one's", async () => {
    // W3
    const { ask, ready, processes, pass, unasked } = scriptedWorker();
    const slow = ask();
    const old = ready();
    await pass(1000);
    expect(slow.said).toBe(LATE);
    old.answer(0);
    await pass(0);
    expect([slow.said, unasked]).toEqual([LATE, []]);
    const next = ask();
    const fresh = ready();
    fresh.print({ id: old.sent[0]!.id, decision: "allow" });
    await pass(0);
    expect(next.said).toBe("printed something that is not a decision (its id is of no open request)");
    expect([fresh.isKilled, processes.length]).toEqual([true, 2]);
  });

  it("fails together what is late together", async () => {
    const { ask, ready, processes, pass } = scriptedWorker();
    const all = Array.from({ length: 20 }, () => ask());
    ready();
    await pass(1000);
    expect(new Set(all.map(({ said }) => said))).toEqual(new Set([LATE]));
    expect(processes).toHaveLength(1);
  });

  it("does not take a question with it a third time", async () => {
    const { ask, ready, processes, pass } = scriptedWorker();
    ask("1");
    ready();
    await pass(600);
    const patient = ask("2", { timeoutMs: 5000 });
    await pass(400);
    ready();
    ask("3");
    await pass(1000);
    expect(patient.said).toMatch(/^was killed twice while it was asked/);
    expect(processes).toHaveLength(2);
  });

  it("is killed though it never said hello; who has time left waits for the next", async () => {
    const { ask, ready, processes, pass } = scriptedWorker();
    const first = ask();
    const second = ask("{}", { timeoutMs: 2000 });
    await pass(1000);
    expect([first.said, second.said, processes[0]!.isKilled]).toEqual([LATE, undefined, true]);
    await pass(50);
    expect(processes).toHaveLength(2);
    ready().answer(0);
    await pass(0);
    expect(second.said).toBe("allow");
  });
});

describe("an aborted turn", () => {
  it("leaves the worker to the others, who may ignore the answer it still owes", async () => {
    const { ask, ready, pass, unasked, processes } = scriptedWorker();
    const turn = new AbortController();
    const cut = ask("{}", { signal: turn.signal });
    const other = ask();
    const process = ready();
    turn.abort();
    await pass(0);
    expect(cut.said).toBe("was cut off because the turn was aborted");
    process.answer(0);
    process.answer(1);
    await pass(0);
    expect([other.said, process.isKilled, unasked, processes.length]).toEqual(["allow", false, [], 1]);
  });

  it("does not save a worker that is stuck in its question", async () => {
    const { ask, ready, pass, processes } = scriptedWorker();
    const turn = new AbortController();
    ask("{}", { signal: turn.signal });
    const stuck = ready();
    turn.abort();
    await pass(500);
    const other = ask('"other"');
    await pass(500);
    expect([stuck.isKilled, processes.length]).toEqual([true, 2]);
    ready().answer(0);
    await pass(0);
    expect(other.said).toBe("allow");
  });
});

describe("the deadline of an aborted turn", () => {
  it("means nothing to a worker that was never asked its question", async () => {
    const { ask, ready, pass, processes } = scriptedWorker();
    const turn = new AbortController();
    ask("{}", { signal: turn.signal });
    ask("{}", { timeoutMs: 500 });
    ready();
    turn.abort();
    await pass(500);
    const next = ask();
    const fresh = ready();
    await pass(500);
    expect([fresh.isKilled, next.said]).toEqual([false, undefined]);
    fresh.answer(0);
    await pass(0);
    expect([next.said, processes.length]).toEqual(["allow", 2]);
  });

  it("starts no worker, and stops none, when it was aborted before it could be sent", async () => {
    const { ask, ready, pass, processes } = scriptedWorker();
    ask();
    ready().end();
    const turn = new AbortController();
    ask("{}", { signal: turn.signal });
    turn.abort();
    await pass(50);
    expect(processes).toHaveLength(1);
    const next = ask();
    await pass(0);
    const fresh = ready();
    await pass(950);
    expect([fresh.isKilled, next.said]).toEqual([false, undefined]);
  });
});

describe("closing", () => {
  it("kills the worker and cuts off whoever is asked, sent or not", async () => {
    const { worker, ask, ready, pass, processes } = scriptedWorker();
    const sent = ask();
    const process = ready();
    worker.close();
    const later = ask();
    await pass(0);
    const words = "was cut off because the turn was aborted";
    expect([sent.said, later.said, process.isKilled, processes.length]).toEqual([words, words, true, 1]);
  });
});
