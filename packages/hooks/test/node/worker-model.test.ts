import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scriptedWorker, type Asked, type ScriptedProcess } from "./scripted-worker.ts";

type Step =
  | { readonly do: "ask"; readonly timeoutMs: number; readonly isAborted: boolean }
  | { readonly do: "answer"; readonly nth: number }
  | { readonly do: "pass"; readonly ms: number }
  | { readonly do: "hello" | "forge" | "babble" | "overflow" | "exit" | "crash" | "abort" };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant("ask" as const),
        timeoutMs: fc.integer({ min: 1, max: 2000 }),
        isAborted: fc.boolean(),
      }),
    },
    { weight: 6, arbitrary: fc.record({ do: fc.constant("answer" as const), nth: fc.nat(4) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.nat(1500) }) },
    { weight: 4, arbitrary: fc.constant({ do: "hello" as const }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constantFrom("forge", "babble", "overflow", "exit", "crash", "abort"),
      }) as fc.Arbitrary<Step>,
    },
  ),
  { maxLength: 40 },
);

describe("a worker, whatever happens", () => {
  it("is one process, answers only what it was asked, and leaves no question open", async () => {
    await fc.assert(fc.asyncProperty(steps, play), { numRuns: 300 });
  });
});

/** Plays the steps, and checks after each. */
async function play(steps: readonly Step[]): Promise<void> {
  const scene = scriptedWorker();
  const { processes, pass } = scene;
  const asked: Asked[] = [];
  const answered = new Set<number>();
  const turn = new AbortController();
  const running = (): ScriptedProcess | undefined => processes.find((one) => !one.isKilled && !one.hasEnded);
  const act = (step: Step): void => {
    const process = running();
    if (step.do === "ask") {
      const { timeoutMs, isAborted } = step;
      asked.push(scene.ask(String(asked.length), { timeoutMs, ...(isAborted && { signal: turn.signal }) }));
    }
    if (step.do === "abort") turn.abort();
    if (process === undefined) return;
    if (step.do === "answer") {
      const question = process.sent[step.nth];
      if (question === undefined) return;
      answered.add(question.request as number);
      process.answer(step.nth);
    }
    actOf(process, step);
  };
  for (const step of steps) {
    act(step);
    await pass(step.do === "pass" ? step.ms : 0);
    expect(processes.filter((one) => !one.isKilled && !one.hasEnded).length).toBeLessThanOrEqual(1);
  }
  // At most twice its time, and a restart between.
  for (let seconds = 0; seconds < 10; seconds += 1) await pass(1000);
  const isAnswered = (index: number): boolean => answered.has(index);
  for (const [index, { said }] of asked.entries()) {
    expect(said).toBeTypeOf("string");
    expect(said === "allow" ? isAnswered(index) : true).toBe(true);
  }
  scene.worker.close();
  expect(running()).toBeUndefined();
}

function actOf(process: ScriptedProcess, step: Step): void {
  if (step.do === "hello") process.hello();
  if (step.do === "forge") process.print({ id: "00000000-0000-4000-8000-000000000000", decision: "allow" });
  if (step.do === "babble") process.print("checking");
  if (step.do === "overflow") process.overflow();
  if (step.do === "exit") process.end({ kind: "exited", exitCode: 0, stderr: "" });
  if (step.do === "crash") process.end();
}
