import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  anthropicRunner,
  type AnthropicMessage,
  type AnthropicRunnerOptions,
} from "../../src/anthropic/index.ts";
import { defineOutput, OutputError, runOutput } from "../../src/index.ts";
import { runnerCases, type ScriptedRound } from "../../src/testing/index.ts";
import { scriptedClient, streamOf, type Block } from "./scripted-client.ts";

let models = 0;

/** A runner on a client that plays these rounds. What one model refuses is not remembered of another. */
function playing(
  rounds: readonly (ScriptedRound | readonly object[])[],
  options: Partial<AnthropicRunnerOptions> = {},
) {
  const { client, requests } = scriptedClient(rounds);
  const model = `model-${(models += 1)}`;
  return { runner: anthropicRunner({ client, model, maxTokens: 500, ...options }), requests };
}

const spec = defineOutput<{ total: number }>({
  name: "total",
  description: "The total.",
  schema: { type: "object", properties: { total: { type: "integer" } }, required: ["total"] },
});

describe("a runner on Anthropic's tool-use loop", () => {
  it.each(runnerCases().map((scenario) => [scenario.name, scenario] as const))(
    "carries out: %s (case 100)",
    async (_name, scenario) => {
      const played = scenario.play(({ rounds, tools }) => {
        const owned = Object.entries(tools).map(([name, execute]) => ({
          name,
          description: name,
          input_schema: { type: "object" },
          run: async (input: unknown, context: { readonly signal: AbortSignal }) =>
            JSON.stringify(await execute(input as never, { signal: context.signal })),
        }));
        return playing(rounds, { tools: owned }).runner;
      });
      await expect(played).resolves.toBeUndefined();
    },
  );

  it("reads the arguments as the model wrote them: twice the same key, and digits that a number loses", async () => {
    const { runner, requests } = playing([
      { terminal: '{"total":1,"total":2}' },
      { terminal: '{"total":9007199254740993}' },
      { terminal: '{"total":3}' },
    ]);
    const attempt = await runOutput(runner, spec, "Add.", { attempts: 3 });
    expect(attempt).toMatchObject({ status: "accepted", value: { total: 3 } });
    expect(attempt.attempts.map(({ verdict }) => verdict)).toEqual(["malformed", "mismatch", "accepted"]);
    expect(attempt.report?.usage).toMatchObject({ inputTokens: 15, outputTokens: 6 });
    const [, broken] = requests[1]?.messages ?? [];
    const raw_invalid_input = '{"total":1,"total":2}';
    expect(broken?.content).toMatchObject([{ type: "tool_use", input: { raw_invalid_input } }]);
  });

  it("forces the terminal tool in strict form, and steps down by what the provider refuses", async () => {
    const refusal = { message: "tool_choice: type 'tool' is not supported with this model", status: 400 };
    const { runner, requests } = playing([{ error: refusal }, { terminal: '{"total":3}' }]);
    expect(await runOutput(runner, spec, "Add.")).toMatchObject({ status: "accepted", value: { total: 3 } });
    const [first, second] = requests;
    expect(first?.tool_choice).toEqual({ type: "tool", name: first?.tools?.[0]?.name });
    expect(first?.tools?.[0]).toMatchObject({ strict: true, input_schema: { additionalProperties: false } });
    expect(second?.tool_choice?.type).not.toBe("tool");
    const down = playing([{ error: { message: "overloaded", status: 529 } }]);
    const failed = await runOutput(down.runner, spec, "Add.");
    expect(failed).toMatchObject({ status: "failed", error: { status: 529 } });
  });

  it.each([
    ["adaptively", { type: "adaptive" }],
    ["not at all", { type: "disabled" }],
  ])("thinking %s, the choice is forced", async (_what, thinking) => {
    const { runner, requests } = playing([{ terminal: '{"total":3}' }], { settings: { thinking } });
    expect(await runOutput(runner, spec, "Add.")).toMatchObject({ status: "accepted" });
    expect(requests[0]).toMatchObject({
      thinking,
      max_tokens: 500,
      stream: true,
      tool_choice: { type: "tool" },
    });
  });

  it("thinking with a budget, no choice is forced: the format is asked for, beside settings of the same member", async () => {
    const settings = { thinking: { type: "enabled", budget_tokens: 1024 }, output_config: { effort: "low" } };
    const { runner, requests } = playing([{ text: '{"total":3}' }], { settings });
    expect(await runOutput(runner, spec, "Add.")).toMatchObject({ status: "accepted", value: { total: 3 } });
    const [request] = requests;
    expect(request?.tool_choice).toBeUndefined();
    const schema = expect.objectContaining({ additionalProperties: false });
    expect(request?.output_config).toEqual({ effort: "low", format: { type: "json_schema", schema } });
  });

  it("offers the host's tools first, runs them checked, and gives every block back as it came", async () => {
    const run = vi.fn(({ path }: { path: string }) => `content of ${path}`);
    const read = betaZodTool({
      name: "read",
      description: "Reads.",
      inputSchema: z.object({ path: z.string() }),
      run,
    });
    const image = {
      type: "image" as const,
      source: { type: "url" as const, url: "https://example.org/a.png" },
    };
    const look = betaTool({
      name: "look",
      description: "Looks.",
      inputSchema: { type: "object", properties: {} },
      run: ({ fail }: { fail?: boolean }) => (fail ? Promise.reject(new Error("dark")) : [image]),
    });
    const thinking = [
      { type: "thinking", thinking: "Hm", signature: "sig" },
      { type: "redacted_thinking", data: "xyz" },
    ];
    const use = (id: string, name: string, input: object): Block => ({
      type: "tool_use",
      id,
      name,
      input: JSON.stringify(input),
    });
    const uses = [
      use("t1", "read", { path: "a" }),
      use("t2", "read", { path: 7 }),
      use("t3", "look", {}),
      use("t4", "look", { fail: true }),
      use("t5", "nowhere", {}),
    ];
    const said = { type: "text", text: "Let me look around." };
    const first = streamOf([...thinking, said, ...uses], "tool_use");
    const told: AnthropicMessage[] = [];
    const before: AnthropicMessage = { role: "user", content: "Earlier." };
    const { runner, requests } = playing([first, { terminal: '{"total":3}' }], {
      tools: [read, look],
      system: "Be brief.",
      messages: [before],
      onMessage: (message) => void told.push(message),
    });
    expect(await runOutput(runner, spec.withTools(), "Add.")).toMatchObject({ status: "accepted" });
    expect(requests[0]?.tools?.map(({ name }) => name).slice(0, 2)).toEqual(["read", "look"]);
    expect(requests[0]?.system).toBe("Be brief.");
    const [earlier, , assistant, results] = requests[1]?.messages ?? [];
    expect(earlier).toEqual(before);
    const parsed = uses.map((one) => ({ ...one, input: JSON.parse(String(one["input"])) as object }));
    expect(assistant).toEqual({ role: "assistant", content: [...thinking, said, ...parsed] });
    expect(results?.content.slice(0, 5)).toEqual([
      { type: "tool_result", tool_use_id: "t1", content: "content of a" },
      expect.objectContaining({
        is_error: true,
        content: expect.stringContaining("Invalid input for 'read'"),
      }),
      { type: "tool_result", tool_use_id: "t3", content: [image] },
      { type: "tool_result", tool_use_id: "t4", content: "dark", is_error: true },
      expect.objectContaining({ is_error: true, content: expect.stringContaining("nowhere") }),
    ]);
    expect(run).toHaveBeenCalledOnce();
    expect(told.slice(0, 3)).toMatchObject([{ role: "user" }, { role: "assistant" }, { role: "user" }]);
  });

  it.each(["server_tool_use", "mcp_tool_use", "web_search_tool_result"])(
    "S15: fails the run when the provider ran a tool itself (%s)",
    async (type) => {
      const { runner } = playing([streamOf([{ type, id: "s1", name: "web_search" }])]);
      const attempt = await runOutput(runner, spec, "Add.");
      const error = { message: expect.stringContaining("'web_search'") };
      expect(attempt).toMatchObject({ status: "failed", error });
    },
  );

  it("names a refusal, and stops with the caller's signal", async () => {
    const refused = playing([{ text: "I will not.", finish: "refusal" }]);
    expect(await runOutput(refused.runner, spec, "Add.")).toMatchObject({
      status: "refused",
      text: "I will not.",
    });
    const controller = new AbortController();
    const { runner } = playing([{ text: "hm" }], { onMessage: () => controller.abort() });
    const { status } = await runOutput(runner, spec, "Add.", { signal: controller.signal });
    expect(status).toBe("cancelled");
  });
});

it.each([
  ["what is no client", { client: {} as never }, "@anthropic-ai/sdk 1"],
  [
    "a tool of the provider",
    { tools: [{ type: "web_search_20250305", name: "web" }] },
    "'web' runs somewhere else",
  ],
])("a runner refuses %s", (_what, given, words) => {
  const thrown = (() => {
    try {
      return playing([], given);
    } catch (error) {
      return error;
    }
  })();
  expect(OutputError.is(thrown, "unusable_host")).toBe(true);
  expect((thrown as Error).message).toContain(words);
});
