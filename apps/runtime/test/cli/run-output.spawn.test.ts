import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";

let bench: Bench;
let schema: string;
beforeEach(() => {
  bench = new Bench();
  schema = bench.write(
    "verdict.schema.json",
    JSON.stringify({
      type: "object",
      properties: { verdict: { enum: ["good", "bad"] }, files: { type: "array", items: { type: "string" } } },
      required: ["verdict"],
      additionalProperties: false,
    }),
  );
});
afterEach(() => bench.remove());

describe("basis run --output", () => {
  it("prints the accepted value as JSON and nothing else", async () => {
    const model = bench.script([{ terminal: '{"verdict":"good"}' }]);
    const ended = await bench.run(["run", "judge", "--output", schema, "--model", model]);
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toEqual({ verdict: "good" });
  });

  it("tells the model what is wrong and takes its corrected answer", async () => {
    const model = bench.script([
      { terminal: '{"verdict":"meh"}' },
      { when: { contains: '"good", "bad"' }, terminal: '{"verdict":"bad"}' },
    ]);
    const ended = await bench.run(["run", "judge", "--output", schema, "--model", model]);
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toEqual({ verdict: "bad" });
    expect(ended.stderr).toMatch(/rejected +the answer\n +\/verdict/);
  });

  it("offers no tools of the workspace when it only shapes", async () => {
    const model = bench.script([
      { calls: [{ name: "read", input: { path: "README.md" } }] },
      { terminal: '{"verdict":"good"}' },
    ]);
    const ended = await bench.run(["run", "judge", "--output", schema, "--json", "--model", model]);
    expect(ended.code).toBe(0);
    expect(ended.events().map(({ type }) => type)).not.toContain("tool_started");
  });

  it("works with tools first when it is told --with-tools", async () => {
    const model = bench.script([
      { calls: [{ name: "read", input: { path: "README.md" } }] },
      { when: { contains: "# A workspace" }, calls: [{ name: "$output", input: { verdict: "good" } }] },
    ]);
    const argv = ["run", "judge", "--output", schema, "--with-tools", "--json", "--model", model];
    const ended = await bench.run(argv);
    expect(ended.code).toBe(0);
    expect(ended.event("tool_completed").data).toMatchObject({ tool_name: "read", is_error: false });
    expect(ended.event("output_accepted").data.candidate).toEqual({ verdict: "good" });
  });

  it("fails with 1 and prints no value when no answer fits", async () => {
    const model = bench.script(Array.from({ length: 9 }, () => ({ terminal: '{"verdict":"meh"}' })));
    const ended = await bench.run(["run", "judge", "--output", schema, "--model", model]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain("no answer (mismatch)");
    expect(ended.stderr).toContain("/verdict");
  });

  it("tells once why its run failed", async () => {
    const model = bench.script([{ text: "no answer yet" }]);
    const ended = await bench.run(["run", "judge", "--output", schema, "--model", model]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(ended.stderr).toContain("no answer (failed)");
    expect(ended.stderr.split("no round 1 for agent")).toHaveLength(2);
  });

  it("ends with 3 when a bound comes first", async () => {
    const model = bench.script([
      {
        calls: [{ name: "read", input: { path: "README.md" } }],
        usage: { inputTokens: 90, outputTokens: 20 },
      },
      { text: "no answer yet", usage: { inputTokens: 90, outputTokens: 20 } },
      { text: "still none" },
    ]);
    const argv = ["run", "judge", "--output", schema, "--with-tools", "--token-budget", "100"];
    const ended = await bench.run([...argv, "--model", model]);
    expect(ended).toMatchObject({ code: 3, stdout: "" });
  });
});
