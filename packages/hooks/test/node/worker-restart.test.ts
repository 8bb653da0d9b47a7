import { describe, expect, it } from "vitest";
import { scriptedWorker, type ScriptedProcess } from "./scripted-worker.ts";

const CRASHED = "exited with code 1";

describe("a worker that crashes", () => {
  it("fails everything it was asked, and is started again for the next question after 50 ms", async () => {
    // W2
    const { ask, ready, processes, pass } = scriptedWorker();
    const lost = [ask(), ask()];
    ready().end();
    await pass(0);
    expect(lost.map(({ said }) => said)).toEqual([CRASHED, CRASHED]);
    await pass(10);
    const next = ask();
    await pass(39);
    expect(processes).toHaveLength(1);
    await pass(1);
    expect(processes).toHaveLength(2);
    ready().answer(0);
    await pass(0);
    expect(next.said).toBe("allow");
  });

  it("is left alone twice as long after each crash, at most 5 s, until it answers", async () => {
    const { ask, ready, processes, pass } = scriptedWorker();
    const waits: number[] = [];
    for (let crash = 0; crash < 9; crash += 1) {
      ask("{}", { timeoutMs: 60_000 });
      let waited = 0;
      while (processes.length === crash) {
        await pass(50);
        waited += 50;
      }
      waits.push(waited);
      ready().end();
      await pass(0);
    }
    expect(waits).toEqual([0, 50, 100, 200, 400, 800, 1600, 3200, 5000]);
    const answered = ask("{}", { timeoutMs: 60_000 });
    await pass(5000);
    ready().answer(0);
    await pass(0);
    expect(answered.said).toBe("allow");
    processes.at(-1)!.end();
    ask();
    await pass(50);
    expect(processes).toHaveLength(11);
  });

  it("fails a question at once that could not be sent before its deadline", async () => {
    const { ask, ready, processes, pass } = scriptedWorker();
    for (let crash = 0; crash < 3; crash += 1) {
      ask();
      await pass(100);
      ready().end();
      await pass(0);
    }
    const hasty = ask("{}", { timeoutMs: 100 });
    const patient = ask("{}", { timeoutMs: 300 });
    await pass(0);
    expect([hasty.said, patient.said]).toEqual(["could not be started", undefined]);
    await pass(200);
    expect(processes).toHaveLength(4);
  });

  it("fails with its exit: a code, a signal, or 0 and no answer", async () => {
    const endings = [
      [3, "exited with code 3"],
      [null, "exited with a signal"],
      [0, "printed nothing; silence is not consent"],
    ] as const;
    for (const [exitCode, words] of endings) {
      const { ask, ready, pass } = scriptedWorker();
      const asked = ask();
      ready().end({ kind: "exited", exitCode, stderr: "oh" });
      await pass(0);
      expect(asked.said).toBe(words);
    }
  });

  it("is told of where nobody was asking; one that ends with 0 is not", async () => {
    const { ask, ready, pass, unasked, processes } = scriptedWorker();
    for (const exitCode of [0, 7]) {
      const asked = ask();
      ready().answer(0);
      await pass(0);
      expect(asked.said).toBe("allow");
      processes.at(-1)!.end({ kind: "exited", exitCode, stderr: "" });
    }
    expect(unasked).toEqual(["exited with code 7"]);
  });

  it("is not waited for where it could not be started at all", async () => {
    const { ask, processes, pass } = scriptedWorker();
    for (let n = 0; n < 3; n += 1) {
      const asked = ask();
      processes.at(-1)!.end({ kind: "not_started", error: new Error("ENOENT") });
      await pass(0);
      expect(asked.said).toBe("could not be started");
    }
    expect(processes).toHaveLength(3);
  });

  it("still gets its last answers read after it has exited, but no new question", async () => {
    const { ask, ready, processes, pass } = scriptedWorker();
    const first = ask();
    const process = ready();
    const { id } = process.sent[0]!;
    let second: ReturnType<typeof ask> | undefined;
    exitThen(process, () => {
      second = ask();
      process.print({ id, decision: "allow" });
    });
    await pass(0);
    expect([first.said, second?.said, process.sent.length]).toEqual(["allow", undefined, 1]);
    await pass(50);
    expect(processes).toHaveLength(2);
    ready().answer(0);
    await pass(0);
    expect(second?.said).toBe("allow");
  });
});

/** Lets something happen between a process's exit and its end. */
function exitThen(process: ScriptedProcess, act: () => void): void {
  process.exit();
  act();
  process.end();
}

describe("a breach of the protocol", () => {
  const forged = (id: string) => ({ id, decision: "allow" });

  it.each<[string, (process: ScriptedProcess) => void]>([
    ["an id of nobody", (process) => process.print(forged("0"))],
    ["an id that was answered", (process) => [0, 0].forEach((index) => process.answer(index))],
    ["a line that is no JSON", (process) => process.print('tool said: {"decision":"allow"}')],
    ["an answer without an id", (process) => process.print({ decision: "allow" })],
    [
      "a duplicate key",
      (process) => process.print(`{"id":"${process.sent[1]!.id}","id":"x","decision":"allow"}`),
    ],
    ["a second hello", (process) => process.print({ hook_worker: 1 })],
  ])("kills the worker and fails all that it was asked: %s", async (_what, breach) => {
    // S20
    const { ask, ready, pass } = scriptedWorker();
    const [, second, third] = [ask(), ask(), ask()];
    const process = ready();
    breach(process);
    process.answer(1);
    process.answer(2);
    await pass(0);
    expect(process.isKilled).toBe(true);
    for (const { said } of [second, third])
      expect(said).toMatch(/^printed something that is not a decision \(/);
  });

  it("is an answer before the hello, or another first line", async () => {
    // S20
    for (const line of [forged("0"), { hook_worker: 2 }, "ready"]) {
      const { ask, processes, pass } = scriptedWorker();
      const asked = ask();
      processes[0]!.print(line);
      await pass(0);
      expect(asked.said).toMatch(/^printed something that is not a decision \(/);
      expect(processes[0]!.isKilled).toBe(true);
    }
  });

  it("is a line that is too long", async () => {
    // S20
    const { ask, ready, pass } = scriptedWorker();
    const asked = ask();
    ready().overflow();
    await pass(0);
    expect(asked.said).toBe("printed more than the 8388608 bytes an answer may have");
  });

  it("is reported where there was no question to fail, and the next one gets a fresh worker", async () => {
    // S20
    const { ask, ready, pass, unasked, processes } = scriptedWorker();
    ask();
    const process = ready();
    process.answer(0);
    process.print("done");
    expect(unasked).toEqual([expect.stringContaining("printed something that is not a decision (")]);
    const next = ask();
    await pass(50);
    ready().answer(0);
    await pass(0);
    expect([next.said, processes.length]).toEqual(["allow", 2]);
  });
});
