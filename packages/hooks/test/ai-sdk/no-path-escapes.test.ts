import { createMCPClient } from "@ai-sdk/mcp";
import { interpretingValidator } from "@basis/typed-output/interpreter";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { guardTools } from "../../src/ai-sdk/index.ts";
import { createHookChain, HookError, type HookAnswer, type HookRequest } from "../../src/index.ts";
import { ai7, majors } from "./majors.ts";
import { memoryServer } from "./memory-server.ts";

/** A chain that notes every request and answers with `answer`. */
const noting = (answer: (request: HookRequest) => HookAnswer = () => ({ decision: "allow" })) => {
  const seen: HookRequest[] = [];
  const intercept = (request: HookRequest): HookAnswer => (seen.push(request), answer(request));
  const chain = createHookChain({
    workspace: "/w",
    participants: [{ name: "all", events: ["pre_tool_use", "post_tool_use"], intercept }],
    report: () => undefined,
  });
  const told = (): string[] => seen.map(({ event, toolName }) => `${event.split("_")[0]} ${toolName}`);
  return { chain, seen, told };
};
const denyAll = (): HookAnswer => ({ decision: "deny", reason: "closed" });
const own = { agentId: "main", validator: interpretingValidator() };
const inputSchema = z.object({ n: z.number() });
const calls = (...names: string[]) => [{ calls: names.map((name, n) => ({ name, input: { n } })) }];

describe.each(majors)("no way to run a tool of $name escapes the chain", ({ ai, generate, stream }) => {
  const ran = vi.fn();
  /** One tool for each way of running. */
  const everyKind = () => {
    ran.mockClear();
    return {
      sync: { inputSchema, execute: ({ n }: { n: number }) => (ran("sync"), n) },
      async: { inputSchema, execute: async () => (ran("async"), "ok") },
      generator: {
        inputSchema,
        async *execute() {
          ran("generator");
          yield "half";
          yield "whole";
        },
      },
      iterable: {
        inputSchema,
        execute: () => {
          ran("iterable");
          return (async function* () {
            yield "half";
            yield "whole";
          })();
        },
      },
      dynamic: ai.dynamicTool({ inputSchema, execute: async () => (ran("dynamic"), "ok") }),
      lazy: { inputSchema: ai.zodSchema(inputSchema), execute: () => (ran("lazy"), "ok") },
      local: {
        type: "provider",
        id: "some.shell",
        args: {},
        isProviderExecuted: false,
        inputSchema,
        execute: () => (ran("local"), "ok"),
      },
      constructor: { inputSchema, execute: () => (ran("constructor"), "ok") },
      listened: { inputSchema, execute: () => "ok", onInputAvailable: () => ran("listened") },
    };
  };
  const kinds = Object.keys(everyKind());
  const answers = new Map([
    ["generator", "whole"],
    ["iterable", "whole"],
  ]);

  it.each(["generate", "stream"] as const)(
    "by %s, in parallel: each is asked before, and about its result",
    async (how) => {
      const { chain, told } = noting();
      const run = how === "generate" ? generate : stream;
      const { read } = await run({ tools: guardTools(everyKind(), chain, own), replies: calls(...kinds) });
      expect(read.map(({ toolName, value }) => [toolName, value])).toEqual(
        kinds.map((kind, n) => [kind, answers.get(kind) ?? (kind === "sync" ? n : "ok")]),
      );
      expect(new Set(ran.mock.calls.flat())).toEqual(new Set(kinds));
      expect(ran).toHaveBeenCalledTimes(kinds.length);
      const posts = [...kinds, "generator"].map((kind) => `post ${kind}`);
      expect(told().toSorted()).toEqual([...posts, ...kinds.map((kind) => `pre ${kind}`)].toSorted());
    },
  );

  it.each(["generate", "stream"] as const)("by %s: what is denied does not run, in any way", async (how) => {
    const { chain } = noting(denyAll);
    const run = how === "generate" ? generate : stream;
    const { read, text } = await run({
      tools: guardTools(everyKind(), chain, own),
      replies: calls(...kinds),
    });
    expect(read.map(({ toolName, value }) => [toolName, value])).toEqual(
      kinds.map((kind) => [kind, "denied by interceptor 'all': closed"]),
    );
    expect(ran).not.toHaveBeenCalled();
    expect(text).toBe("done");
  });

  it("streams nothing that a reviewer has not passed", async () => {
    const { chain } = noting((request) =>
      request.event === "post_tool_use" && request.output !== "ok"
        ? { decision: "replace", output: "hidden" }
        : { decision: "allow" },
    );
    const { shown } = await stream({
      tools: guardTools(everyKind(), chain, own),
      replies: calls("generator", "iterable"),
    });
    expect(shown).not.toContain("half");
    expect(shown).not.toContain("whole");
    expect(shown).toContain("hidden");
  });

  it("guards a call that was repaired", async () => {
    const { chain, seen } = noting();
    const repair = async ({ toolCall }: { toolCall: object }) => ({ ...toolCall, input: '{"n":5}' });
    const settings = { experimental_repairToolCall: repair, repairToolCall: repair };
    const replies = [{ calls: [{ name: "sync", input: { n: "five" } }] }];
    await generate({ tools: guardTools(everyKind(), chain, own), replies, settings });
    expect(seen[0]).toMatchObject({ toolName: "sync", input: { n: 5 } });
    expect(ran).toHaveBeenCalledOnce();
  });

  it("guards the tools of an MCP server, also its own way of showing results", async () => {
    const { transport, called } = memoryServer({
      add: {
        schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
        text: "sum",
      },
    });
    const client = await createMCPClient({ transport });
    const allowed = noting();
    const tools = (chain: typeof allowed.chain) => async () =>
      guardTools(await client.tools(), chain, { ...own, toolSource: "mcp:memory" });
    const ok = await generate({ tools: await tools(allowed.chain)(), replies: calls("add") });
    expect(JSON.stringify(ok.read)).toContain("sum");
    expect(allowed.seen[0]).toMatchObject({ toolName: "add", toolSource: "mcp:memory", input: { n: 0 } });
    const wrong = [{ calls: [{ name: "add", input: { n: "x" } }] }];
    const refused = await generate({ tools: await tools(allowed.chain)(), replies: wrong });
    expect(refused.read[0]?.value).toBe("Invalid input for 'add': /n: expected integer");
    const denied = await generate({ tools: await tools(noting(denyAll).chain)(), replies: calls("add") });
    expect(denied.read[0]?.value).toBe("denied by interceptor 'all': closed");
    const replacing = noting(({ event }) =>
      event === "post_tool_use" ? { decision: "replace", output: "hidden" } : { decision: "allow" },
    );
    const replaced = await generate({ tools: await tools(replacing.chain)(), replies: calls("add") });
    expect(replaced.read[0]?.value).toBe("hidden");
    expect(called).toEqual(["add", "add"]);
    await client.close();
  });

  it("adds nothing later: the guarded toolset is frozen", () => {
    expect(Object.isFrozen(guardTools(everyKind(), noting().chain, own))).toBe(true);
  });

  it("guards a sub-agent's tools by the same chain", async () => {
    const { chain, told, seen } = noting();
    const child = guardTools(everyKind(), chain, {
      ...own,
      agentId: "child",
      parentAgentId: "main",
      depth: 1,
    });
    const execute = async (): Promise<string> =>
      (await generate({ tools: child, replies: calls("sync") })).text;
    await generate({
      tools: guardTools({ spawn: { inputSchema, execute } }, chain, own),
      replies: calls("spawn"),
    });
    expect(told()).toEqual(["pre spawn", "pre sync", "post sync", "post spawn"]);
    expect(seen[1]).toMatchObject({ agentId: "child", parentAgentId: "main", depth: 1 });
  });

  it.each([
    [
      "a tool of the provider",
      { type: "provider", id: "openai.web_search", args: {}, inputSchema },
      /runs at the provider/,
    ],
    [
      "one marked as executed there",
      { isProviderExecuted: true, inputSchema, execute: ran },
      /runs at the provider/,
    ],
    ["a tool that the client runs", { inputSchema }, /has no execute/],
    ["a listener to raw input", { inputSchema, execute: ran, onInputDelta: ran }, /onInputDelta/],
    ["a tool of ai 4", { parameters: inputSchema, execute: ran }, /needs ai 6 or 7/],
    ["no tool", "text", /is no tool/],
  ])("refuses %s by name, unless it is listed as outside", (_what, tool, words) => {
    // S15
    const tools = { odd: tool } as Record<string, object>;
    const attempt = (outside: string[]) => guardTools(tools, noting().chain, { ...own, outside });
    const thrown = (() => {
      try {
        return attempt([]);
      } catch (error) {
        return error;
      }
    })();
    expect(HookError.is(thrown) && thrown.code).toBe("unguarded_tool");
    expect((thrown as Error).message).toMatch(words);
    expect((thrown as Error).message).toContain("'odd'");
    expect(attempt(["odd"])["odd"]).toBe(tool);
  });
});

describe("no way to run a tool of ai 7 alone escapes the chain", () => {
  const { generate } = majors[1]!;

  it("refuses the tool search, whose execute the framework replaces", () => {
    const tools = { search: ai7.toolSearch() };
    expect(() => guardTools(tools, noting().chain, own)).toThrow(/'search' is a tool search/);
  });

  it("guards code that calls other tools, and each of its calls", async () => {
    const { chain, told } = noting();
    const inner = { inputSchema, execute: ({ n }: { n: number }) => n + 1 };
    const definition = {
      type: "local" as const,
      bind: (tools: Record<string, typeof inner>) => ({
        inputSchema,
        execute: async ({ n }: { n: number }, options: never) =>
          (tools["inner"]!.execute as (input: unknown, options: unknown) => unknown)({ n }, options),
      }),
    };
    const unbound = { inputSchema, execute: () => "unbound" };
    const code = Object.defineProperty(unbound, "experimental_toolCaller", { value: definition });
    const tools = guardTools({ inner, code }, chain, own);
    const settings = { experimental_toolCallers: { inner: ["code"] } };
    const { read } = await generate({
      tools,
      replies: [{ calls: [{ name: "code", input: { n: 1 } }] }],
      settings,
    });
    expect(read[0]?.value).toBe(2);
    expect(told()).toEqual(["pre code", "pre inner", "post inner", "post code"]);
  });
});
