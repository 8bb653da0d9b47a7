import { MockLanguageModelV3 } from "ai-6/test";
import { jsonSchema, tool } from "ai-6";
import { MockLanguageModelV4 } from "ai-7/test";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { aiSdkRunner, type AiMessage, type AiModel } from "../../src/ai-sdk/index.ts";
import { defineOutput, OutputError, runOutput } from "../../src/index.ts";
import { runnerCases, type ScriptedRound } from "../../src/testing/index.ts";

interface Request {
  readonly tools?: readonly { readonly name: string; readonly inputSchema: unknown }[];
  readonly toolChoice?: { readonly type: string; readonly toolName?: string };
  readonly prompt: readonly AiMessage[];
}

let models = 0;

/** A mock model of a major that replies with these rounds. */
const scripted = (Model: typeof MockLanguageModelV3, rounds: readonly ScriptedRound[]) => {
  const left = [...rounds];
  const requests: Request[] = [];
  const doGenerate = async (request: unknown): Promise<unknown> => {
    const asked = request as Request;
    requests.push(asked);
    const { text, calls = [], terminal, finish = "stop", error, usage } = left.shift() ?? {};
    if (error) throw Object.assign(new Error(error.message), { statusCode: error.status });
    const output = asked.tools?.at(-1)?.name ?? "";
    const made = terminal === undefined ? calls : [...calls, { name: "$output", input: terminal }];
    const content = [
      ...(text === undefined ? [] : [{ type: "text", text }]),
      ...made.map(({ name, input }, index) => ({
        type: "tool-call",
        toolCallId: `call-${requests.length}-${index}`,
        toolName: name === "$output" ? output : name,
        input: typeof input === "string" ? input : JSON.stringify(input),
      })),
    ];
    return { content, ...accountOf(finish, usage), warnings: [] };
  };
  // What one scripted model refuses is not remembered of another.
  const modelId = `model-${(models += 1)}`;
  return { model: new Model({ modelId, doGenerate } as never) as AiModel, requests };
};

const accountOf = (finish: string, usage: ScriptedRound["usage"]) => {
  const unified = finish === "refusal" ? "content-filter" : finish.replace("_", "-");
  return {
    finishReason: { unified, raw: finish },
    usage: {
      inputTokens: { total: usage?.inputTokens ?? 5 },
      outputTokens: { total: usage?.outputTokens ?? 2 },
    },
  };
};

const majors = [
  ["ai 6", MockLanguageModelV3],
  ["ai 7", MockLanguageModelV4 as unknown as typeof MockLanguageModelV3],
] as const;
const spec = defineOutput<{ total: number }>({
  name: "total",
  description: "The total.",
  schema: { type: "object", properties: { total: { type: "integer" } }, required: ["total"] },
});

describe.each(majors)("a runner on a model of %s", (_major, Model) => {
  it.each(runnerCases().map((scenario) => [scenario.name, scenario] as const))(
    "carries out: %s (case 100)",
    async (_name, scenario) => {
      const played = scenario.play(({ rounds, tools }) => {
        const owned = Object.entries(tools).map(([name, execute]) => [
          name,
          tool({
            inputSchema: jsonSchema({ type: "object" }),
            execute: (input, { abortSignal }) => execute(input as never, { signal: abortSignal! }),
          }),
        ]);
        return aiSdkRunner({ model: scripted(Model, rounds).model, tools: Object.fromEntries(owned) });
      });
      await expect(played).resolves.toBeUndefined();
    },
  );

  it("reads the arguments as the model wrote them: a key that stands twice is refused", async () => {
    const { model } = scripted(Model, [{ terminal: '{"total":1,"total":2}' }, { terminal: '{"total":3}' }]);
    const attempt = await runOutput(aiSdkRunner({ model }), spec, "Add.");
    expect(attempt).toMatchObject({ status: "accepted", value: { total: 3 } });
    expect(attempt.attempts).toHaveLength(2);
    expect(attempt.report?.usage).toMatchObject({ inputTokens: 10, outputTokens: 4 });
  });

  it("forces the terminal tool, steps down when refused, and fails with the provider's own error", async () => {
    const refusal = { message: "tool_choice is not supported", status: 400 };
    const { model, requests } = scripted(Model, [{ error: refusal }, { terminal: '{"total":3}' }]);
    expect(await runOutput(aiSdkRunner({ model }), spec, "Add.")).toMatchObject({ status: "accepted" });
    expect(requests[0]?.toolChoice).toMatchObject({ type: "tool" });
    expect(requests[1]?.toolChoice?.type).not.toBe("tool");
    const down = scripted(Model, [{ error: { message: "overloaded", status: 529 } }]);
    const failed = await runOutput(aiSdkRunner({ model: down.model }), spec, "Add.");
    expect(failed).toMatchObject({ status: "failed", error: { message: "overloaded" } });
  });

  it("offers the host's tools first and in full, runs them checked, and tells every row", async () => {
    const execute = vi.fn(async ({ path }: { path: string }) => `content of ${path}`);
    const read = tool({ description: "Reads.", inputSchema: z.object({ path: z.string() }), execute });
    const weigh = tool({
      inputSchema: jsonSchema<{ n: number }>({ type: "object", properties: { n: { type: "integer" } } }),
      execute: async ({ n }) => n,
    });
    const asks = tool({ inputSchema: z.object({}), needsApproval: true, execute: async () => "ran" });
    const calls = [
      { name: "read", input: { path: "a" } },
      { name: "read", input: { path: 7 } },
      { name: "weigh", input: { n: "x" } },
      { name: "asks", input: {} },
      { name: "nowhere", input: {} },
    ];
    const { model, requests } = scripted(Model, [{ calls }, { terminal: '{"total":3}' }]);
    const rows: AiMessage[] = [];
    const onMessage = (row: AiMessage): void => void rows.push(row);
    const runner = aiSdkRunner({ model, tools: { read, weigh, asks }, system: "Be brief.", onMessage });
    expect(await runOutput(runner, spec.withTools(), "Add.")).toMatchObject({ status: "accepted" });
    expect(requests[0]?.tools?.map(({ name }) => name).slice(0, 3)).toEqual(["read", "weigh", "asks"]);
    expect(requests[0]?.tools?.[0]?.inputSchema).toMatchObject({ properties: { path: { type: "string" } } });
    expect(execute).toHaveBeenCalledOnce();
    const told = rows.filter(({ role }) => role === "tool").map((row) => JSON.stringify(row.content));
    expect(told[0]).toContain("content of a");
    expect(told[1]).toContain("Invalid input for 'read'");
    expect(told[2]).toContain("Invalid input for 'weigh': /n: expected integer");
    expect(told[3]).toContain("needs an approval");
    expect(told[4]).toContain("nowhere");
    expect(rows.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      ...calls.map(() => "tool"),
      "assistant",
      "tool",
    ]);
  });

  it("reads a tool's schema in its own draft, and tells what it wants", async () => {
    const at = { type: "array", items: [{ enum: ["a", "b"] }], additionalItems: false } as const;
    const $schema = "http://json-schema.org/draft-07/schema#";
    const inputSchema = jsonSchema({ $schema, type: "object", properties: { at } } as never);
    const go = tool({ inputSchema, execute: async () => "went" });
    const calls = [["c"], ["a", "b"], ["a"]].map((list) => ({ name: "go", input: { at: list } }));
    const { model } = scripted(Model, [{ calls }, { terminal: '{"total":3}' }]);
    const told: string[] = [];
    const onMessage = ({ role, content }: AiMessage): void => {
      if (role === "tool") told.push((content as { output: { value: string } }[])[0]!.output.value);
    };
    await runOutput(aiSdkRunner({ model, tools: { go }, onMessage }), spec.withTools(), "Add.");
    expect(told.slice(0, 3)).toEqual([
      `Invalid input for 'go': /at/0: expected one of "a", "b", got "c"; nearest is "a"`,
      "Invalid input for 'go': /at: expected at most 1 item, got 2 items",
      "went",
    ]);
  });

  it("lets guards rewrite or deny the answer before it is checked", async () => {
    const { model } = scripted(Model, [{ terminal: '{"total":1}' }, { terminal: '{"total":2}' }]);
    const guardAnswer = vi
      .fn()
      .mockReturnValueOnce({ denied: { by: "hook 'a'", message: "not 1" } })
      .mockReturnValueOnce({ rewrite: { by: "hook 'a'", value: { total: 9 } } });
    const attempt = await runOutput(aiSdkRunner({ model, guardAnswer }), spec, "Add.");
    expect(attempt).toMatchObject({ status: "accepted", value: { total: 9 } });
  });

  it("fails the run when the provider ran a tool itself", async () => {
    // S15
    const content = [
      { type: "tool-call", toolCallId: "1", toolName: "web", input: "{}", providerExecuted: true },
    ];
    const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
    const doGenerate = async (): Promise<unknown> => ({ content, finishReason: { unified: "stop" }, usage });
    const model = new Model({ doGenerate } as never) as AiModel;
    const attempt = await runOutput(aiSdkRunner({ model }), spec, "Add.");
    expect(attempt).toMatchObject({ status: "failed", error: { message: expect.stringContaining("'web'") } });
  });

  it("counts nothing for a reply that tells no usage", async () => {
    const { model } = scripted(Model, [{ terminal: '{"total":"x"}' }, { terminal: '{"total":3}' }]);
    let asked = 0;
    const silent: AiModel = {
      provider: "p",
      modelId: "silent",
      specificationVersion: model.specificationVersion,
      doGenerate: async (request) => {
        const reply = (await model.doGenerate(request)) as object;
        return (asked += 1) === 1 ? { ...reply, usage: undefined } : reply;
      },
    };
    const attempt = await runOutput(aiSdkRunner({ model: silent }), spec, "Add.");
    expect(attempt).toMatchObject({
      status: "accepted",
      report: { usage: { inputTokens: 5, outputTokens: 2 } },
    });
  });

  it("stops with the caller's signal", async () => {
    const controller = new AbortController();
    const { model } = scripted(Model, [{ text: "hm" }]);
    const execute = model.doGenerate.bind(model);
    const slow: AiModel = {
      ...model,
      provider: "p",
      modelId: "m",
      specificationVersion: model.specificationVersion,
      doGenerate: (o) => (controller.abort(), execute(o)),
    };
    const attempt = await runOutput(aiSdkRunner({ model: slow }), spec, "Add.", {
      signal: controller.signal,
    });
    expect(attempt.status).toBe("cancelled");
  });
});

it.each([
  ["a model's name", { model: "openai/gpt" as never }, "is a name"],
  [
    "a model of ai 5",
    { model: { specificationVersion: "v2", provider: "p", modelId: "m" } as never },
    "ai 6 or 7",
  ],
  [
    "a tool that runs elsewhere",
    { model: new MockLanguageModelV3(), tools: { web: { type: "provider", id: "a.web" } } },
    "'web' runs somewhere else",
  ],
])("a runner refuses %s", (_what, options, words) => {
  const thrown = (() => {
    try {
      return aiSdkRunner(options);
    } catch (error) {
      return error;
    }
  })();
  expect(OutputError.is(thrown, "unusable_host")).toBe(true);
  expect((thrown as Error).message).toContain(words);
});
