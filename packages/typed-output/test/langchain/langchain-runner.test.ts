import * as langchain from "langchain";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { defineOutput, OutputError, runOutput } from "../../src/index.ts";
import { langchainRunner, type ChatModel, type ChatTool } from "../../src/langchain/index.ts";
import { runnerCases, type ScriptedRound } from "../../src/testing/index.ts";

interface Asked {
  readonly messages: readonly langchain.BaseMessage[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
  readonly choice: unknown;
}

let models = 0;

/** A chat model of the framework's own kind that replies with these rounds. */
const scripted = (rounds: readonly ScriptedRound[]) => {
  const left = [...rounds];
  const asked: Asked[] = [];
  const reply = (messages: readonly langchain.BaseMessage[], tools: Asked["tools"], choice?: unknown) => {
    asked.push({ messages, tools, choice });
    const { text = "", calls = [], terminal, finish = "stop", error, usage } = left.shift() ?? {};
    if (error) return Object.assign(new Error(error.message), { status: error.status });
    const output = tools.at(-1)?.function.name ?? "";
    const made = terminal === undefined ? calls : [...calls, { name: output, input: terminal }];
    const written = made.map(({ name, input }, index) => ({
      id: `call-${asked.length}-${index}`,
      name: name === "$output" ? output : name,
      args: typeof input === "string" ? input : JSON.stringify(input),
    }));
    const parsed = written.map((call) => ({
      ...call,
      args: objectOf(call.args),
      type: "tool_call" as const,
    }));
    const fields = {
      content: text,
      tool_calls: parsed.filter(({ args }) => args !== undefined),
      invalid_tool_calls: written
        .filter(({ args }) => objectOf(args) === undefined)
        .map((call) => ({ ...call, type: "invalid_tool_call" as const })),
      additional_kwargs: {
        tool_calls: written.map(({ id, name, args }) => ({
          id,
          type: "function" as const,
          function: { name, arguments: args },
        })),
      },
      response_metadata: { finish_reason: finish },
      usage_metadata: usageOf(usage),
    };
    return new langchain.AIMessage(fields as never);
  };
  const respond = (tools: Asked["tools"], choice?: unknown) => {
    const model = langchain.fakeModel();
    model.respond((messages) => reply(messages, tools, choice));
    return model;
  };
  const model: ChatModel = {
    // What one scripted model refuses is not remembered of another.
    modelName: `model-${(models += 1)}`,
    bindTools: (tools: Asked["tools"], { tool_choice: choice }: { readonly tool_choice: unknown }) =>
      respond(tools, choice),
    invoke: async (messages: never, settings: never) => respond([]).invoke(messages, settings),
  } as ChatModel;
  return { model, asked };
};

const usageOf = (usage: ScriptedRound["usage"]) => ({
  input_tokens: usage?.inputTokens ?? 5,
  output_tokens: usage?.outputTokens ?? 2,
  total_tokens: 0,
});

const objectOf = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
};

const spec = defineOutput<{ total: number }>({
  name: "total",
  description: "The total.",
  schema: { type: "object", properties: { total: { type: "integer" } }, required: ["total"] },
});

describe("a runner on a chat model of langchain", () => {
  it.each(runnerCases().map((scenario) => [scenario.name, scenario] as const))(
    "carries out: %s (case 100)",
    async (_name, scenario) => {
      const played = scenario.play(({ rounds, tools }) => {
        const owned = Object.entries(tools).map(([name, execute]) =>
          langchain.tool(
            async (input, { signal }: { readonly signal?: AbortSignal }) =>
              execute(input, { signal: signal! }) as never,
            { name, description: name, schema: { type: "object" } as never },
          ),
        );
        return langchainRunner({ model: scripted(rounds).model, tools: owned });
      });
      await expect(played).resolves.toBeUndefined();
    },
  );

  it("reads the arguments as the model wrote them where they are kept: a key that stands twice is refused", async () => {
    const { model } = scripted([{ terminal: '{"total":1,"total":2}' }, { terminal: '{"total":3}' }]);
    const answer = await runOutput(langchainRunner({ model }), spec, "Add.");
    expect(answer).toMatchObject({ status: "accepted", value: { total: 3 } });
    expect(answer.attempts).toHaveLength(2);
    expect(answer.report?.usage).toMatchObject({ inputTokens: 10, outputTokens: 4 });
  });

  it("forces the terminal tool, and steps down when the provider refuses that", async () => {
    const refusal = { message: "tool_choice is not supported", status: 400 };
    const { model, asked } = scripted([{ error: refusal }, { terminal: '{"total":3}' }]);
    expect(await runOutput(langchainRunner({ model }), spec, "Add.")).toMatchObject({ status: "accepted" });
    expect(asked[0]?.choice).toBe(asked[0]?.tools.at(-1)?.function.name);
    expect(["any", "auto"]).toContain(asked[1]?.choice);
  });

  it("runs the host's tools, whose errors the model reads, and hands its own messages back to the model", async () => {
    const execute = vi.fn(({ path }: { path: string }) => `content of ${path}`);
    const schema = z.object({ path: z.string() });
    const read = langchain.tool(execute, { name: "read", description: "Reads.", schema });
    const calls = [
      { name: "read", input: { path: "a" } },
      { name: "read", input: { path: 7 } },
    ];
    const { model, asked } = scripted([{ calls }, { terminal: '{"total":3}' }]);
    const runner = langchainRunner({ model, tools: [read] as readonly ChatTool[], system: "Be brief." });
    expect(await runOutput(runner, spec.withTools(), "Add.")).toMatchObject({ status: "accepted" });
    expect(execute).toHaveBeenCalledOnce();
    const told = asked[1]!.messages;
    expect(told.map(({ type }) => type)).toEqual(["system", "human", "ai", "tool", "tool"]);
    expect(told[2]?.additional_kwargs["tool_calls"]).toHaveLength(2);
    expect(told[3]).toMatchObject({ content: "content of a", status: "success", tool_call_id: "call-1-0" });
    expect(told[4]).toMatchObject({ status: "error" });
    expect(told[4]?.text).toContain("did not match expected schema");
  });

  // P2, case 78: LangChain completes the arguments of a streamed reply that was cut off
  it("reads a streamed reply as it came: what was cut off neither runs nor counts", async () => {
    const ran: unknown[] = [];
    const schema = z.object({ path: z.string() });
    const run = async (input: unknown) => (ran.push(input), "done");
    const clean = langchain.tool(run, { name: "clean", description: "Cleans.", schema });
    const replies = [
      ["clean", '{"path":"/tmp/a'],
      ["clean", '{"path":"/tmp/ab"}'],
      ["$output", '{"total":12'],
    ];
    const bindTools = (offered: Asked["tools"]) => ({
      invoke: async () => {
        const [name = "", args = ""] = replies.shift() ?? [];
        const called = name === "$output" ? offered.at(-1)!.function.name : name;
        // In two pieces, of which the second has no id, as providers send them.
        const first = { id: `c${replies.length}`, index: 0, name: called, args: args.slice(0, 5) };
        const pieces = [first, { index: 0, args: args.slice(5) }];
        const tool_call_chunks = pieces.map((piece) => ({ type: "tool_call_chunk" as const, ...piece }));
        return new langchain.AIMessageChunk({ content: "", tool_call_chunks });
      },
    });
    const model = { modelName: "streaming", bindTools, invoke: execute } as ChatModel;
    const runner = langchainRunner({ model, tools: [clean] as readonly ChatTool[] });
    const attempt = await runOutput(runner, spec.withTools(), "Add.");
    expect(ran).toEqual([{ path: "/tmp/ab" }]);
    expect(attempt.status).toBe("truncated");
  });

  it("refuses what it cannot drive", () => {
    const attempt = (options: object) => () => langchainRunner(options as never);
    expect(attempt({ model: { invoke: execute } })).toThrow(OutputError);
    expect(attempt({ model: {} })).toThrow(/needs a chat model of LangChain 1 with bindTools/);
    const { model } = scripted([]);
    expect(attempt({ model, tools: [{ type: "web_search" }] })).toThrow(/does not run in this process/);
    expect(attempt({ model, tools: [] })).not.toThrow();
  });
});

function execute(): void {
  // A member that is there.
}
