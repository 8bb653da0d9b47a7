import { tool, Usage, type Model, type ModelRequest } from "@openai/agents";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { defineOutput, OutputError, runOutput } from "../../src/index.ts";
import { openAiAgentsRunner, type AgentItem } from "../../src/openai-agents/index.ts";
import { runnerCases, type ScriptedRound } from "../../src/testing/index.ts";

let models = 0;

/** A model that replies with these rounds, and what it was asked. */
function scripted(rounds: readonly ScriptedRound[]) {
  const left = [...rounds];
  const requests: ModelRequest[] = [];
  const getResponse = async (request: ModelRequest) => {
    requests.push({ ...request, input: [...(request.input as never[])] });
    const { text, calls = [], terminal, finish = "stop", error, usage } = left.shift() ?? {};
    if (error) throw Object.assign(new Error(error.message), { status: error.status });
    const said = { type: finish === "refusal" ? "refusal" : "output_text", text, refusal: text };
    const made = terminal === undefined ? calls : [...calls, { name: "$output", input: terminal }];
    const output = [
      ...(text === undefined
        ? []
        : [{ type: "message", role: "assistant", status: "completed", content: [said] }]),
      ...made.map(({ name, input }, index) => ({
        type: "function_call",
        callId: `call-${requests.length}-${index}`,
        name: name === "$output" ? (request.tools.at(-1) as { name: string }).name : name,
        status: "completed",
        arguments: typeof input === "string" ? input : JSON.stringify(input),
      })),
    ];
    const spent = { inputTokens: usage?.inputTokens ?? 5, outputTokens: usage?.outputTokens ?? 2 };
    return { output, usage: new Usage(spent), providerData: { choices: [{ finish_reason: finish }] } };
  };
  // What one scripted model refuses is not remembered of another.
  const modelId = `model-${(models += 1)}`;
  return { model: { getResponse } as unknown as Model, modelId, requests };
}

const spec = defineOutput<{ total: number }>({
  name: "total",
  description: "The total.",
  schema: { type: "object", properties: { total: { type: "integer" } }, required: ["total"] },
});

describe("a runner on a model of OpenAI Agents", () => {
  it.each(runnerCases().map((scenario) => [scenario.name, scenario] as const))(
    "carries out: %s (case 100)",
    async (_name, scenario) => {
      const played = scenario.play(({ rounds, tools }) => {
        const owned = Object.entries(tools).map(([name, execute]) =>
          tool({
            name,
            description: name,
            strict: false,
            parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
            errorFunction: null,
            execute: (input, _context, details) =>
              execute(input as never, { signal: (details as { signal: AbortSignal }).signal }) as never,
          }),
        );
        const { model, modelId } = scripted(rounds);
        return openAiAgentsRunner({ model, modelId, tools: owned });
      });
      await expect(played).resolves.toBeUndefined();
    },
  );

  it("reads the arguments as the model wrote them: a key that stands twice is refused", async () => {
    const { model, modelId } = scripted([{ terminal: '{"total":1,"total":2}' }, { terminal: '{"total":3}' }]);
    const attempt = await runOutput(openAiAgentsRunner({ model, modelId }), spec, "Add.");
    expect(attempt).toMatchObject({ status: "accepted", value: { total: 3 } });
    expect(attempt.attempts).toHaveLength(2);
    expect(attempt.report?.usage).toMatchObject({ inputTokens: 10, outputTokens: 4 });
  });

  it("forces the terminal tool, steps down when refused, and fails with the provider's own error", async () => {
    const refusal = { message: "tool_choice is not supported", status: 400 };
    const { requests, ...one } = scripted([{ error: refusal }, { terminal: '{"total":3}' }]);
    expect(await runOutput(openAiAgentsRunner(one), spec, "Add.")).toMatchObject({ status: "accepted" });
    const offered = requests[0]?.tools.at(-1)?.name;
    expect(requests[0]?.modelSettings.toolChoice).toBe(offered);
    expect(requests[1]?.modelSettings.toolChoice).not.toBe(offered);
    const down = scripted([{ error: { message: "overloaded", status: 529 } }]);
    const failed = await runOutput(openAiAgentsRunner(down), spec, "Add.");
    expect(failed).toMatchObject({ status: "failed", error: { message: "overloaded" } });
  });

  it("offers the host's tools first, runs them checked, gives items back as they came, and tells each", async () => {
    const execute = vi.fn(async ({ path }: { path: string }) => `content of ${path}`);
    const read = tool({
      name: "read",
      description: "Reads.",
      parameters: z.object({ path: z.string() }),
      execute,
    });
    const asks = tool({
      name: "asks",
      description: "",
      parameters: z.object({}),
      needsApproval: true,
      execute: async () => "ran",
    });
    const calls = [
      { name: "read", input: { path: "a" } },
      { name: "read", input: { path: 7 } },
      { name: "asks", input: {} },
      { name: "nowhere", input: {} },
    ];
    const { requests, ...one } = scripted([{ text: "Hm.", calls }, { terminal: '{"total":3}' }]);
    const items: AgentItem[] = [];
    const before = { role: "assistant", type: "message", content: [], status: "completed", id: "m1" };
    const runner = openAiAgentsRunner({
      ...one,
      tools: [read, asks],
      instructions: "Be brief.",
      items: [before],
      onItem: (item) => void items.push(item),
    });
    expect(await runOutput(runner, spec.withTools(), "Add.")).toMatchObject({ status: "accepted" });
    expect(requests[0]?.systemInstructions).toBe("Be brief.");
    expect(requests[0]?.tools.map(({ name }) => name).slice(0, 2)).toEqual(["read", "asks"]);
    expect(requests[1]?.input).toEqual([before, ...items.slice(0, 10)]);
    expect(execute).toHaveBeenCalledOnce();
    const told = items
      .filter(({ type }) => type === "function_call_result")
      .map((item) => JSON.stringify(item));
    expect(told[0]).toContain("content of a");
    expect(told[1]).toContain("Invalid input for 'read'");
    expect(told[2]).toContain("needs an approval");
    expect(told[3]).toContain("nowhere");
    expect(items[0]).toMatchObject({ role: "user" });
  });

  it("S15: fails the run when the provider ran a tool itself", async () => {
    const output = [{ type: "hosted_tool_call", name: "web_search_call", status: "completed" }];
    const model = { getResponse: async () => ({ output, usage: new Usage() }) } as unknown as Model;
    const attempt = await runOutput(openAiAgentsRunner({ model, modelId: "m" }), spec, "Add.");
    expect(attempt).toMatchObject({
      status: "failed",
      error: { message: expect.stringContaining("'web_search_call'") },
    });
  });

  it("stops with the caller's signal", async () => {
    const controller = new AbortController();
    const { model, modelId } = scripted([{ text: "hm" }]);
    const getResponse = async (request: never) => (controller.abort(), model.getResponse(request));
    const runner = openAiAgentsRunner({ model: { getResponse }, modelId });
    const attempt = await runOutput(runner, spec, "Add.", { signal: controller.signal });
    expect(attempt.status).toBe("cancelled");
  });
});

it.each([
  ["a model's name", { model: "gpt-5" as never }, "is a name"],
  ["what is no model", { model: {} as never }, "@openai/agents 0.20"],
  [
    "a tool that runs elsewhere",
    { tools: [{ type: "hosted_tool", name: "web" }] },
    "'web' runs somewhere else",
  ],
])("a runner refuses %s", (_what, given, words) => {
  const thrown = (() => {
    try {
      return openAiAgentsRunner({ ...scripted([]), ...given });
    } catch (error) {
      return error;
    }
  })();
  expect(OutputError.is(thrown, "unusable_host")).toBe(true);
  expect((thrown as Error).message).toContain(words);
});
