import { describe, expect, it } from "vitest";
import { anthropicRunner } from "../../src/anthropic/index.ts";
import { defineOutput, runOutput } from "../../src/index.ts";
import { scriptedClient, streamOf } from "./scripted-client.ts";

const spec = defineOutput({
  name: "clean",
  description: "What to clean.",
  schema: { type: "object", properties: { path: { type: "string" } } },
});
const events = streamOf(
  [{ type: "tool_use", id: "t1", name: "clean", input: '{"path":"/tmp/a"}' }],
  "tool_use",
);
const failure = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };

/** Runs on a stream of these events, with a tool whose inputs all may be left out. */
async function run(stream: readonly object[]) {
  const ran: unknown[] = [];
  const clean = {
    name: "clean",
    description: "Cleans.",
    input_schema: { type: "object", properties: { path: { type: "string" } } },
    run: async (input: unknown) => (ran.push(input), "done"),
  };
  const { client } = scriptedClient([stream]);
  const runner = anthropicRunner({ client, model: `broken-${Math.random()}`, maxTokens: 50, tools: [clean] });
  const attempt = await runOutput(runner, spec.withTools(), "Go.", {
    bounds: { rounds: 1 },
    closing: "none",
  });
  return { attempt, ran };
}

// P2, case 74 and case 91
describe("a stream that ends before its reply does", () => {
  it.each(Array.from({ length: events.length - 2 }, (_, index) => index + 1))(
    "runs nothing of a call after %i of its events, and says what the reply cost",
    async (length) => {
      const { attempt, ran } = await run(events.slice(0, length));
      expect(ran).toEqual([]);
      expect(attempt).toMatchObject({
        status: "failed",
        error: { message: expect.stringContaining("broke off") },
        report: { usage: { inputTokens: 5, outputTokens: 1 } },
      });
    },
  );

  it("runs the call of a whole one (the control)", async () => {
    expect((await run(events)).ran).toEqual([{ path: "/tmp/a" }]);
  });

  it("says what a reply cost that the provider ended with an error", async () => {
    const { attempt, ran } = await run([...events.slice(0, -2), failure]);
    expect(ran).toEqual([]);
    expect(attempt).toMatchObject({
      status: "failed",
      report: { usage: { inputTokens: 5, outputTokens: 1 } },
    });
    expect(String((attempt as { error?: unknown }).error)).toContain("Overloaded");
  });
});
