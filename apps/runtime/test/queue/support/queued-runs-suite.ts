import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Ended, Running } from "../../cli/support/basis-process.ts";
import { Bench } from "../../cli/support/bench.ts";
import { refused } from "../../cli/support/refused.ts";
import { tokenOptions } from "../../cli/support/waiting.ts";
import { png } from "../../harness/pictures.ts";

/** What the commands of a bench are given so that they meet in a store; nothing for the bench's own files. */
export type StoreOf = (bench: Bench) => Readonly<Record<string, string>>;

const call = (name: string, input: object) => ({ calls: [{ name, input: input as never }] });
const onlyFor = (word: string) => ({ when: { contains: word } });

/** One script for every case: the first round is chosen by a word of the prompt. */
const rounds = [
  [
    { ...onlyFor("a value"), terminal: '{"n":7}' },
    { ...onlyFor("no value"), terminal: '{"n":"seven"}' },
    { ...onlyFor("a list"), terminal: '{"value":["a"]}' },
    { ...onlyFor("a file"), ...call("write", { path: "made.txt", content: "made" }) },
    { ...onlyFor("words"), text: "some words" },
    { ...onlyFor("no end"), ...call("read", { path: "README.md" }) },
  ],
  [
    { ...onlyFor("no value"), terminal: '{"n":null}' },
    { ...onlyFor("no end"), ...call("read", { path: "README.md" }) },
    { ...onlyFor("a file"), text: "it is made" },
  ],
  [{ ...onlyFor("no value"), terminal: "{" }],
];

const schema = (content: object): string =>
  JSON.stringify({ $schema: "http://json-schema.org/draft-07/schema#", ...content });

/** What a person is told on standard error of how a run ended, without the names that differ. */
const told = ({ stderr }: Ended): readonly string[] =>
  stderr
    .split("\n")
    .filter((line) => line.startsWith("basis: "))
    .map((line) => line.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4,}|[0-9a-f]{8,})*/g, "ID"));

/** `basis run --queue` against a worker, told exactly as a run in the process itself (WORKERS.md). */
export function queuedRunsSuite(storeOf: StoreOf): void {
  let bench: Bench;
  let env: Readonly<Record<string, string>>;
  let workers: Running[];
  beforeEach(() => {
    bench = new Bench();
    env = storeOf(bench);
    workers = [];
    bench.write(
      "n.schema.json",
      schema({ type: "object", properties: { n: { type: "integer" } }, required: ["n"] }),
    );
    bench.write("list.schema.json", schema({ type: "array", items: { type: "string" } }));
    bench.write("AGENTS.md", "Be brief.\n");
  });
  afterEach(() => {
    for (const worker of workers) worker.kill("SIGKILL");
    bench.remove();
  });

  const work = async (model: string, ...more: readonly string[]): Promise<Running> => {
    const worker = bench.start(["worker", "--lease", "2s", ...more, "--model", model], { env });
    workers.push(worker);
    await worker.saw("serves");
    return worker;
  };
  const queue = (...argv: readonly string[]): Promise<Ended> =>
    bench.run(["run", "--queue", ...argv], { env });

  describe("a queued run", () => {
    it("ends as the same run would here: code, standard output, and what is told", async () => {
      const model = bench.script(rounds, { reviewer: { rounds: [{ text: "reviewed" }] } });
      await work(model);
      const cases: readonly (readonly [code: number, stdout: string, ...argv: string[]])[] = [
        [0, '{\n  "n": 7\n}\n', "a value", "--output", "n.schema.json"],
        [0, '[\n  "a"\n]\n', "a list", "--output", "list.schema.json"],
        [1, "", "no value", "--output", "n.schema.json"],
        [0, "some words\n", "words"],
        [1, "", "nothing of the script"],
        [3, "", "no end", "--tool-budget", "1"],
      ];
      bench.write("dot.png", png());
      const showing = queue("words", "--image", "dot.png", "--json");
      const naming = queue("words", "--model", "acme/small", "--json");
      await Promise.all(
        cases.map(async ([code, stdout, ...argv]) => {
          const queued = await queue(...argv);
          expect([argv, queued.code, queued.stdout]).toEqual([argv, code, stdout]);
          const here = await bench.run(["run", ...argv, "--model", model], { env });
          expect([argv, here.code, here.stdout, told(here)]).toEqual([argv, code, stdout, told(queued)]);
        }),
      );
      const shown = await showing;
      expect(shown.event("user_message").data.images).toMatchObject([{ name: "dot.png" }]);
      const named = await naming;
      expect(named.event("run_started").data.model).toEqual({ provider: "acme", id: "small" });
    });

    it("waits for an answer to its call, and goes on with the value that it was queued for", async () => {
      const model = bench.script([
        [{ ...onlyFor("a file"), ...call("write", { path: "made.txt", content: "made" }) }],
        [{ calls: [{ name: "$output", input: { n: 1 } }] }],
      ]);
      await work(model);
      const typed = ["--output", "n.schema.json", "--with-tools"];
      const parked = await queue("a file", ...typed, "--json");
      expect(parked.code).toBe(4);
      const { session, data } = parked.event("run_finished");
      expect(data).toMatchObject({ status: "parked", output_status: "parked" });
      expect(await queue("another", "--session", session)).toMatchObject({ code: 4, stdout: "" });
      expect(await queue("--session", session)).toMatchObject(refused(2, "with the same --output"));
      const allow = ["approvals", "allow", data.approval_id!, ...tokenOptions(bench)];
      expect(await bench.run(allow, { env })).toMatchObject({ code: 0 });
      expect(await queue("--session", session, ...typed)).toMatchObject({
        code: 0,
        stdout: '{\n  "n": 1\n}\n',
      });
    });

    it("answers by the schema that it was queued with, whatever becomes of the file", async () => {
      const queued = bench.start(["run", "--queue", "a value", "--output", "n.schema.json"], { env });
      await queued.saw("queued as");
      bench.write("n.schema.json", schema({ type: "array" }));
      await work(bench.script(rounds));
      expect(await queued.ended).toMatchObject({ code: 0, stdout: '{\n  "n": 7\n}\n' });
    });

    it("S23: waits while a worker has read other AGENTS.md files or skills, and says so", async () => {
      const model = bench.script(rounds);
      const worker = await work(model);
      bench.write("AGENTS.md", "Be long.\n");
      bench.write(
        join(bench.config, "skills", "count", "SKILL.md"),
        "---\nname: count\ndescription: Counts.\n---\nCount.\n",
      );
      const waiting = bench.start(["run", "--queue", "words", "--json"], { env });
      workers.push(waiting);
      await waiting.saw("queued with another roster, tools, context (AGENTS.md files), skills");
      await worker.saw("plan_mismatch");
      await work(model);
      expect(await waiting.ended).toMatchObject({ code: 0 });
    });
  });

  it("stays where it was queued: a store with turns in its queue is not moved; what is over goes with a redaction and its session", async () => {
    const waiting = bench.start(["run", "--queue", "words"], { env });
    await waiting.saw("queued as");
    waiting.kill("SIGINT");
    const { code, stderr } = await waiting.ended;
    expect(code).toBe(130);
    const from = env["BASIS_STORE"] === undefined ? bench.data : "env:BASIS_STORE";
    const move = (): Promise<Ended> =>
      bench.run(["store", "migrate", from, "--to", join(bench.base, "moved")], { env });
    expect(await move()).toMatchObject(refused(5, "has a turn in its queue, which stays behind"));
    const [, turn = "", session = ""] = /queued as (\S+) of session (\w+(?:-\w+)*)/.exec(stderr)!;
    const redact = (): Promise<Ended> =>
      bench.run(["sessions", "redact", session, "--text", "-", "--yes"], { env, stdin: "words" });
    expect(await redact()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/stays: .*queue.* \(1\)/),
    });
    const say = async (...argv: readonly string[]): Promise<string> => {
      const ended = await bench.run(argv, { env });
      expect(ended).toMatchObject({ code: 0 });
      return ended.stdout;
    };
    const watching = bench.start(["wait", turn], { env });
    await watching.saw("waits for a worker");
    await say("cancel", turn);
    expect(await watching.ended).toMatchObject({
      code: 130,
      stderr: expect.stringContaining("the turn is cancelled"),
    });
    expect(await move()).toMatchObject({ code: 0 });
    const over = (): Promise<string> => say("queue", "list", "--state", "cancelled");
    expect(await over()).toContain(turn);
    expect(await say("queue", "list")).toBe("no turn is waiting, running, dead\n");
    for (const [verb, id, words] of [
      ["retry", turn, `turn ${turn} is cancelled: only dead ones are retried`],
      ["retry", "nobody", "the queue knows no turn"],
      ["drop", "nobody", "the queue knows no turn"],
    ] as const)
      expect(await bench.run(["queue", verb, id], { env })).toMatchObject(refused(1, words));
    expect(await redact()).toMatchObject({ code: 0 });
    expect(await over()).not.toContain(turn);

    const next = bench.start(["run", "--queue", "--session", session, "more"], { env });
    await next.saw("queued as");
    next.kill("SIGINT");
    const [, more = ""] = /queued as (\S+)/.exec((await next.ended).stderr)!;
    await say("sessions", "rm", session, "--yes");
    expect(await over()).not.toContain(more);
    expect(await say("queue", "list")).not.toContain(more);
  });

  it("is refused what a queued turn cannot carry, with the reason", async () => {
    const argv = ["--record", "r", "--ephemeral", "--approve", "always", "--model", "scripted:none.json"];
    const { code, stderr } = await queue("words", ...argv);
    expect(code).toBe(2);
    for (const reason of [
      "--record does not go with --queue: the worker asks the model",
      "--ephemeral does not go with --queue: a worker finds the turn in the store",
      "--approve does not go with --queue: the worker answers as it was started",
      "--model scripted:none.json does not go with --queue: that file is on this machine",
    ])
      expect(stderr).toContain(reason);
  });
}
