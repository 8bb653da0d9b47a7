import { setImmediate as settled } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ANSWERS, LINES } from "./answer-corpus.ts";
import { campaignSize, CAMPAIGN_TIMEOUT_MS, reproduction } from "./campaign-size.ts";
import { mutate } from "./mutate.ts";
import { Random } from "./random.ts";
import { problemOf, WorkerStage } from "./worker-stage.ts";

const { seed, from, runs } = campaignSize(5000);

type Step = (stage: WorkerStage, random: Random) => void;

const linesOf = (bytes: Buffer): readonly Buffer[] => {
  const lines = bytes.toString("latin1").split("\n");
  return lines.map((line) => Buffer.from(line, "latin1"));
};
const print = (stage: WorkerStage, bytes: Buffer): void => {
  for (const line of linesOf(bytes)) stage.process?.printLine(line);
};
const answerFor = (id: string, random: Random): Buffer => {
  const answer = random.pick(ANSWERS).replaceAll("\n", " ").replace("{", `{"id":"${id}",`);
  return Buffer.from(answer, "latin1");
};
const openIds = (stage: WorkerStage): readonly string[] => [...(stage.process?.open.keys() ?? [])];
const anyId = (ids: readonly string[], random: Random): string =>
  ids.length === 0 ? "none" : random.pick(ids);

const answer: Step = (stage, random) => {
  const id = anyId(openIds(stage), random);
  if (id !== "none") print(stage, answerFor(id, random));
};

/** What goes on while all is well. */
const COMMON: readonly Step[] = [
  (stage, random) => stage.ask(random.pick([50, 500, 1000, 5000])),
  (stage) => {
    if (stage.process?.isGreeted === false) print(stage, Buffer.from('{"hook_worker":1}'));
  },
  answer,
  answer,
  (stage, random) => stage.clock.advance(random.pick([1, 1, 1, 60])),
];

/** What goes wrong. */
const RARE: readonly Step[] = [
  (stage) => print(stage, Buffer.from('{"hook_worker":1}')),
  (stage, random) => print(stage, answerFor(anyId(stage.process?.ids ?? [], random), random)),
  (stage, random) => {
    const id = anyId(openIds(stage), random);
    print(stage, mutate([answerFor(id, random).toString("latin1")], random));
  },
  (stage, random) => print(stage, mutate(LINES, random)),
  (stage, random) => print(stage, answerFor(anyId(stage.processes[0]?.ids ?? [], random), random)),
  (stage, random) => stage.process?.end(random.below(2)),
  (stage) => stage.process?.exit(),
  (stage) => stage.process?.overflow(),
  (stage, random) => stage.clock.advance(random.pick([200, 1000, 5000])),
  (stage, random) => {
    if (stage.questions.length > 0) random.pick(stage.questions).turn.abort();
  },
];

/** Plays one schedule to its end; answers what each question came to, or what was wrong. */
async function play(index: number): Promise<readonly string[]> {
  const random = new Random(seed, index);
  const stage = new WorkerStage();
  const steps = 4 + random.below(60);
  for (let step = 0; step < steps; step += 1) {
    random.pick(random.once(12) ? RARE : COMMON)(stage, random);
    if (random.once(2)) await settled();
  }
  await settled();
  stage.worker.close();
  await settled();
  return stage.questions.map((question) => {
    const problem = problemOf(question);
    if (problem !== undefined) throw new Error(problem);
    return question.result !== undefined && "answer" in question.result ? "answered" : "failed";
  });
}

describe("a worker whose lines, ends and questions come at random", () => {
  // W1, W2, W3, S20
  it(
    "answers a question with its own answer alone, always with that, and dies of any other line",
    async () => {
      const tally = new Map<string, number>();
      for (let index = from; index < from + runs; index += 1) {
        const results = await play(index).catch((cause: unknown) => {
          throw new Error(reproduction("hook-workers", seed, index), { cause });
        });
        for (const result of results) tally.set(result, (tally.get(result) ?? 0) + 1);
      }
      console.log(`seed ${seed}, from ${from}, ${runs} cases: ${JSON.stringify(Object.fromEntries(tally))}`);
      const isEnough = (kind: string): boolean => runs < 1000 || (tally.get(kind) ?? 0) > runs / 4;
      expect(["answered", "failed"].filter((kind) => !isEnough(kind))).toEqual([]);
    },
    CAMPAIGN_TIMEOUT_MS,
  );
});
