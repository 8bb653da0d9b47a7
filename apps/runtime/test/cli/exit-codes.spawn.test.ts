import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ended } from "./support/basis-process.ts";
import { Bench } from "./support/bench.ts";
import { park } from "./support/waiting.ts";

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
});
afterAll(() => bench.remove());

const write = { calls: [{ name: "write", input: { path: "a", content: "b" } }] };
const read = { calls: [{ name: "read", input: { path: "README.md" } }] };
const run = (...argv: readonly string[]): Promise<Ended> => bench.run(["run", "go on", ...argv]);

/** One way to each code of the README's table, on the built command line. */
const ways: ReadonlyMap<number, () => Promise<Pick<Ended, "code">>> = new Map([
  [0, () => run("--ephemeral", "--model", bench.script([{ text: "done" }]))],
  [1, () => run("--ephemeral", "--model", bench.script([]))],
  [2, () => run("--tool-budget", "some")],
  [3, () => run("--ephemeral", "--tool-budget", "0", "--model", bench.script([read, { text: "." }]))],
  [4, async () => (await park(bench, bench.script([write]))).ended],
  [5, () => run("--session", "nowhere", "--model", bench.script([]))],
  [
    130,
    async () => {
      const running = bench.start(["run", "-", "--model", bench.script([])], { stdin: null });
      await running.feed();
      running.kill("SIGINT");
      return running.ended;
    },
  ],
]);

describe("the table of exit codes in the README", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const table = readme.slice(readme.indexOf("## Exit codes"), readme.indexOf("## Hooks and trust"));
  const codes = [...table.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));

  it("has a way to each code, and tells of every one", () => {
    expect(codes).toEqual([...ways.keys()]);
  });

  it.each(codes)("%i is what the built command line ends with", async (code) => {
    expect((await ways.get(code)!()).code).toBe(code);
  });
});

describe("a prompt through a pipe", () => {
  it.each([
    ["without a word", [] as readonly string[]],
    ["with -", ["-"]],
  ])("is read %s, and shaped by a schema, with bounds, keeping nothing", async (_how, word) => {
    const schema = bench.write(
      "n.json",
      JSON.stringify({
        type: "object",
        properties: { n: { type: "integer" } },
        required: ["n"],
        additionalProperties: false,
      }),
    );
    const model = bench.script([read, { when: { contains: "A workspace" }, terminal: '{"n":1}' }]);
    const bounds = ["--deadline", "1h", "--tool-budget", "3", "--token-budget", "1000"];
    const argv = [
      "run",
      ...word,
      "--output",
      schema,
      "--with-tools",
      "--ephemeral",
      ...bounds,
      "--model",
      model,
    ];
    expect(await bench.run(argv, { stdin: "how many?\n" })).toMatchObject({
      code: 0,
      stdout: '{\n  "n": 1\n}\n',
    });
  });
});
