import { describe, expect, it } from "vitest";
import { scriptedRunner } from "../../src/testing/index.ts";
import { ask, bad, good, total } from "../support/asking.ts";

describe("scriptedRunner", () => {
  // D14
  it("ends as failed, with a report, when its rounds run out", async () => {
    const { attempt } = await ask([{ terminal: bad, usage: { outputTokens: 4 } }]);
    expect(attempt).toMatchObject({
      status: "failed",
      error: { message: "the script has no further round" },
      report: { outcome: "failed", usage: { outputTokens: 4 } },
    });
  });

  it("reads `$output` as the terminal tool and sends an input that is a text as it stands", async () => {
    const calls = [{ id: "c1", name: "$output", input: good }];
    const { attempt } = await ask([{ calls }]);
    expect(attempt).toMatchObject({ status: "accepted", attempts: [{ toolCallId: "c1" }] });
  });

  it("runs its tools with parsed input and turns what they throw into error results", async () => {
    const seen: unknown[] = [];
    const tools = {
      note: (input: unknown) => seen.push(input),
      breaks: () => {
        throw new Error("broken");
      },
    };
    const calls = ["note", "breaks", "none", "toString"].map((name) => ({ name, input: { n: 1 } }));
    const spec = total.withTools();
    const { runner } = await ask([{ calls }, { terminal: good }], { spec, host: { tools } });
    expect(seen).toEqual([{ n: 1 }]);
    const results = runner.transcript.filter((row) => row.role === "tool").slice(0, 4);
    expect(results.map((row) => row.output)).toEqual([
      1,
      "broken",
      "no tool is named none",
      "no tool is named toString",
    ]);
  });

  it("says what it can do, everything unless told otherwise", () => {
    expect(scriptedRunner([]).capabilities).toMatchObject({
      tools: true,
      forced: "named",
      native: "with_tools",
    });
    const { capabilities } = scriptedRunner([], { capabilities: { forced: "none" } });
    expect(capabilities).toMatchObject({ forced: "none", tools: true });
  });
});
