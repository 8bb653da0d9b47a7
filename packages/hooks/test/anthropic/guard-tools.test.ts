import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { interpretingValidator } from "@basis/typed-output/interpreter";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { answerToolUses, guardTools } from "../../src/anthropic/index.ts";
import { createHookChain, type HookAnswer, type HookRequest } from "../../src/index.ts";
import { request, scriptedClient, type Call } from "./scripted-client.ts";

const ran = vi.fn<(input: unknown) => string>();
const blocks = [{ type: "text" as const, text: "blocks" }];
/** One tool for each way of running. */
const everyKind = () => {
  ran.mockReset().mockReturnValue("sum");
  const inputSchema = {
    type: "object",
    properties: { n: { type: "integer" } },
    required: ["n"],
  } as const;
  const zodSchema = z.object({ n: z.number(), path: z.string().default("/etc") });
  return [
    betaTool({ name: "plain", description: "d", inputSchema, run: (input) => ran(input) }),
    betaTool({ name: "blocks", description: "d", inputSchema, run: async (input) => (ran(input), blocks) }),
    betaZodTool({ name: "zod", description: "d", inputSchema: zodSchema, run: (input) => ran(input) }),
    {
      type: "bash_20250124" as const,
      name: "bash" as const,
      run: (input: unknown) => ran(input),
      parse: (input: unknown) => input,
    },
  ];
};
const names = ["plain", "blocks", "zod", "bash"];
const calls = (...wanted: readonly string[]): readonly Call[] =>
  wanted.map((name, n) => ({ name, input: { n } }));

/** A chain that notes every request and answers with `answer`. */
const noting = (answer: (request: HookRequest) => HookAnswer = () => ({ decision: "allow" })) => {
  const seen: HookRequest[] = [];
  const intercept = (asked: HookRequest): HookAnswer => (seen.push(asked), answer(asked));
  const chain = createHookChain({
    workspace: "/w",
    participants: [{ name: "all", events: ["pre_tool_use", "post_tool_use"], intercept }],
    report: () => undefined,
  });
  return { chain, seen };
};
type Noting = ReturnType<typeof noting>;
const on = (event: HookRequest["event"], outcome: HookAnswer): Noting =>
  noting((asked) => (asked.event === event ? outcome : { decision: "allow" }));
const closed = () => on("pre_tool_use", { decision: "deny", reason: "closed" });
const denial = "denied by interceptor 'all': closed";
const own = { agentId: "main", validator: interpretingValidator() };

const ways = [
  {
    way: "the tool runner",
    prefix: "Error: ",
    run: async ({ chain }: Noting, wanted: readonly Call[]) => {
      const { client, read } = scriptedClient(wanted);
      const tools = guardTools(everyKind(), chain, own);
      await client.beta.messages.toolRunner({ ...request, tools });
      return read();
    },
  },
  {
    way: "a loop on messages.create",
    prefix: "",
    run: async ({ chain }: Noting, wanted: readonly Call[]) => {
      const { client, read } = scriptedClient(wanted);
      const tools = guardTools(everyKind(), chain, own);
      const shown = tools.map(({ name }) => ({ name, input_schema: { type: "object" as const } }));
      const reply = await client.messages.create({ ...request, tools: shown });
      const content = await answerToolUses(reply, tools);
      const messages = [...request.messages, { role: "user" as const, content }];
      await client.messages.create({ ...request, tools: shown, messages });
      return read();
    },
  },
];

describe.each(ways)("no call by $way escapes the chain", ({ run, prefix }) => {
  it("each is asked before, and about its result", async () => {
    const noted = noting();
    expect(await run(noted, calls(...names))).toEqual(["sum", blocks, "sum", "sum"]);
    expect(ran.mock.calls.map(([input]) => input)).toContainEqual({ n: 2, path: "/etc" });
    expect(ran).toHaveBeenCalledTimes(4);
    const posts = noted.seen.filter(({ event }) => event === "post_tool_use");
    expect(posts.map(({ toolName }) => toolName).toSorted()).toEqual(names.toSorted());
    expect(noted.seen[0]).toMatchObject({ toolName: "plain", toolCallId: "toolu_1", input: { n: 0 } });
    // What a schema fills in is judged too.
    const judged = noted.seen.filter(({ event, toolName }) => event === "pre_tool_use" && toolName === "zod");
    expect(judged.map(({ input }) => input)).toEqual([{ n: 2 }, { n: 2, path: "/etc" }]);
  });

  it("what is denied does not run", async () => {
    const error = { error: prefix + denial };
    expect(await run(closed(), calls(...names))).toEqual([error, error, error, error]);
    expect(ran).not.toHaveBeenCalled();
  });

  it("inputs are held to the schema, the rewritten ones as well (D37, H77)", async () => {
    const wrong = [{ name: "plain", input: { n: "x" } }];
    const invalid = `${prefix}Invalid input for 'plain': /n: expected integer`;
    expect(await run(noting(), wrong)).toEqual([{ error: invalid }]);
    const broken = on("pre_tool_use", { decision: "modify", input: { n: "x" } });
    expect(JSON.stringify(await run(broken, calls("plain")))).toContain("rewritten by interceptor 'all'");
    expect(ran).not.toHaveBeenCalled();
    await run(on("pre_tool_use", { decision: "modify", input: { n: 9 } }), calls("plain"));
    expect(ran).toHaveBeenCalledExactlyOnceWith({ n: 9 });
  });

  it("results are replaced and withheld", async () => {
    const after = async (outcome: HookAnswer) => run(on("post_tool_use", outcome), calls("plain"));
    expect(await after({ decision: "replace", output: "hidden" })).toEqual(["hidden"]);
    expect(await after({ decision: "replace", output: blocks as never })).toEqual([blocks]);
    const error = await after({ decision: "replace", output: "no", isError: true });
    expect(error).toEqual([{ error: `${prefix}no` }]);
    expect(await after({ decision: "deny", reason: "closed" })).toEqual([{ error: prefix + denial }]);
  });

  it("what a tool throws is reviewed as an error", async () => {
    const throwing = (noted: Noting) => {
      const started = run(noted, calls("plain"));
      ran.mockImplementation(() => {
        throw new Error("broken");
      });
      return started;
    };
    const noted = noting();
    expect(await throwing(noted)).toEqual([{ error: "Error: broken" }]);
    expect(noted.seen.at(-1)).toMatchObject({ output: "Error: broken", isError: true });
  });
});

describe("guarded tools of Anthropic's SDK", () => {
  it.each([
    [
      "a tool of the provider",
      { type: "web_search_20250305", name: "web_search" },
      "web_search",
      /has no run/,
    ],
    ["an MCP toolset", { type: "mcp_toolset", mcp_server_name: "files" }, "files", /has no run/],
    ["a plain definition", { name: "shell", input_schema: { type: "object" } }, "shell", /has no run/],
    ["a toolset", { type: "browser_20260801", run: ran }, "browser_20260801", /as a toolset has/],
  ])("refuse %s by name, unless it is listed as outside (S15)", (_what, tool, name, words) => {
    const attempt = (outside: string[]) => guardTools([tool], noting().chain, { ...own, outside });
    expect(() => attempt([])).toThrow(`the tool '${name}'`);
    expect(() => attempt([])).toThrow(words);
    expect(attempt([name])).toEqual([tool]);
  });

  it("are the only ones that calls are answered by, and nothing that the provider ran passes", async () => {
    const reply = { content: [{ type: "tool_use", id: "c1", name: "plain", input: { n: 1 } }] };
    await expect(answerToolUses(reply, everyKind())).rejects.toThrow("the tool 'plain' is not guarded");
    const tools = guardTools(everyKind(), noting().chain, own);
    const ranThere = { content: [{ type: "server_tool_use", id: "s1", name: "web_search", input: {} }] };
    await expect(answerToolUses(ranThere, tools)).rejects.toMatchObject({
      code: "unguarded_tool",
      details: { tool: "web_search" },
    });
    expect(await answerToolUses(ranThere, tools, { outside: ["web_search"] })).toEqual([]);
    const unknown = { content: [{ type: "tool_use", id: "c1", name: "none", input: {} }] };
    expect(await answerToolUses(unknown, tools)).toEqual([
      { type: "tool_result", tool_use_id: "c1", content: "Error: there is no tool 'none'", is_error: true },
    ]);
  });

  it("cannot be changed once they are made", () => {
    const [guarded] = guardTools(everyKind(), noting().chain, own);
    expect(Object.isFrozen(guarded)).toBe(true);
  });

  it("guard a sub-agent by the same chain", async () => {
    const noted = noting();
    const child = guardTools(everyKind(), noted.chain, {
      ...own,
      agentId: "child",
      parentAgentId: "main",
      depth: 1,
    });
    const inner = { content: [{ type: "tool_use", id: "c1", name: "plain", input: { n: 1 } }] };
    const run = async (): Promise<string> => String((await answerToolUses(inner, child))[0]?.content);
    const spawn = { name: "spawn", input_schema: { type: "object" }, run, parse: (input: unknown) => input };
    const outer = { content: [{ type: "tool_use", id: "c0", name: "spawn", input: {} }] };
    await answerToolUses(outer, guardTools([spawn], noted.chain, own));
    expect(noted.seen.map(({ agentId, toolName }) => `${agentId} ${toolName}`)).toEqual([
      "main spawn",
      "child plain",
      "child plain",
      "main spawn",
    ]);
  });
});
