import { Command } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import * as langchain from "langchain";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { guardTools } from "../../src/langchain/index.ts";
import { before, guard, noting, run, type Call } from "./agents.ts";

const ran = vi.fn<(what: string) => void>();
const schema = z.object({ n: z.number() });
const named = (name: string) => ({ name, description: name, schema });
const closed = () => before({ decision: "deny", reason: "closed" });

const idOf = (runtime: unknown) => (runtime as { readonly toolCall: { readonly id: string } }).toolCall.id;

/** One tool for each way of running. */
const everyKind = () => {
  ran.mockClear();
  return [
    langchain.tool(() => (ran("sync"), "ok"), named("sync")),
    langchain.tool(async () => (ran("async"), "ok"), named("async")),
    langchain.tool(
      async function* () {
        ran("generator");
        yield "half";
        return "ok";
      } as never,
      named("generator"),
    ),
    langchain.tool(() => (ran("artifact"), ["ok", { raw: 1 }]) as never, {
      ...named("artifact"),
      responseFormat: "content_and_artifact",
    }),
    langchain.tool((_input, runtime) => {
      ran("message");
      const id = idOf(runtime);
      return new langchain.ToolMessage({ content: "ok", tool_call_id: id, name: "message" });
    }, named("message")),
    langchain.tool((_input, runtime) => {
      ran("command");
      const id = idOf(runtime);
      const message = new langchain.ToolMessage({ content: "ok", tool_call_id: id, name: "command" });
      return new Command({ update: { messages: [message] } });
    }, named("command")),
    new langchain.DynamicTool({
      name: "text",
      description: "text",
      func: async () => (ran("text"), "ok"),
    }),
    langchain.tool(() => (ran("json"), "ok"), {
      ...named("json"),
      schema: { type: "object", properties: { n: { type: "number" } } } as never,
    }),
  ];
};
const copies = ({ chain }: ReturnType<typeof noting>) =>
  guardTools(everyKind(), chain, { agentId: "main", langchain });
const names = everyKind().map(({ name }) => name);
const calls = (...wanted: readonly string[]): readonly Call[] =>
  wanted.map((name, n) => ({ name, args: name === "text" ? { input: "words" } : { n } }));

describe("no way to run a tool of a langchain agent escapes the chain", () => {
  it("in parallel, of every kind: each is asked before, and about its result", async () => {
    const noted = noting();
    const read = await run({ tools: everyKind(), middleware: [guard(noted)], calls: calls(...names) });
    expect(read.map(({ name, content }) => `${name} ${String(content)}`).toSorted()).toEqual(
      names.map((name) => `${name} ok`).toSorted(),
    );
    expect(ran).toHaveBeenCalledTimes(names.length);
    const both = names.flatMap((name) => [`pre ${name}`, `post ${name}`]);
    expect(noted.told().toSorted()).toEqual(both.toSorted());
  });

  it("what is denied does not run, of any kind", async () => {
    const read = await run({ tools: everyKind(), middleware: [guard(closed())], calls: calls(...names) });
    expect(new Set(read.map(({ content }) => content))).toEqual(
      new Set(["denied by interceptor 'all': closed"]),
    );
    expect(read).toHaveLength(names.length);
    expect(ran).not.toHaveBeenCalled();
  });

  it("shows a reviewer all of a command, and drops it when it is denied", async () => {
    const noted = noting(({ event }) => ({ decision: event === "pre_tool_use" ? "allow" : "deny" }));
    const read = await run({ tools: everyKind(), middleware: [guard(noted)], calls: calls("command") });
    expect(read).toEqual([{ name: "command", status: "error", content: "denied by interceptor 'all'" }]);
    expect(JSON.stringify(noted.seen[1])).toContain('"ok"');
  });

  it("a ToolNode, which no middleware reaches, gets guarded copies of its tools", async () => {
    const calling = new langchain.AIMessage({
      content: "",
      tool_calls: calls(...names).map((call, n) => ({ ...call, id: `c${n}`, type: "tool_call" as const })),
    });
    const answer = async (noted: ReturnType<typeof noting>) => {
      const node = new ToolNode(copies(noted) as never);
      const answered = (await node.invoke({ messages: [calling] })) as object[] | { messages: never[] };
      return JSON.stringify(answered);
    };
    const allowed = noting();
    expect(await answer(allowed)).toContain('"ok"');
    expect(ran).toHaveBeenCalledTimes(names.length);
    expect(allowed.told()).toHaveLength(2 * names.length);
    const denied = await answer(closed());
    expect(denied.match(/denied by interceptor 'all': closed/g)).toHaveLength(names.length);
    expect(ran).not.toHaveBeenCalled();
  });

  it("a guarded copy has no other way in: stream, batch and pipe pass the chain, the rest is not there", async () => {
    const [copy] = copies(closed()) as unknown as [typeof langchain.DynamicTool.prototype];
    const words = "denied by interceptor 'all': closed";
    expect(await copy.invoke({ n: 1 } as never)).toBe(words);
    expect(await copy.batch([{ n: 1 } as never])).toEqual([words]);
    const chunks: unknown[] = [];
    for await (const chunk of await copy.stream({ n: 1 })) chunks.push(chunk);
    expect(chunks).toEqual([words]);
    expect(await copy.pipe((text: string) => text).invoke({ n: 1 })).toBe(words);
    expect([copy.call, copy.func, copy._call]).toEqual([undefined, undefined, undefined]);
    expect(ran).not.toHaveBeenCalled();
    const [open] = copies(noting()) as unknown as [typeof langchain.DynamicTool.prototype];
    expect(await open.invoke({ n: 1 } as never)).toBe("ok");
    const elsewhere = () =>
      guardTools([{ type: "web_search" }], noting().chain, { agentId: "main", langchain });
    expect(elsewhere).toThrow("the tool 'web_search' does not run in this process");
  });

  it("a tool that middleware before it adds is guarded; one added after it does not run", async () => {
    const added = langchain.tool(() => (ran("added"), "ok"), named("added"));
    const adding = langchain.createMiddleware({
      name: "adding",
      wrapModelCall: (request, handler) => handler({ ...request, tools: [...request.tools, added] }),
      wrapToolCall: (request, handler) => handler({ ...request, tool: added }),
    });
    const tools = everyKind();
    const wanted = calls("added");
    const allowed = noting();
    const read = await run({ tools, middleware: [adding, guard(allowed)], calls: wanted });
    expect([read[0]?.content, allowed.told()]).toEqual(["ok", ["pre added", "post added"]]);
    const denied = await run({ tools, middleware: [adding, guard(closed())], calls: wanted });
    expect(denied[0]?.content).toBe("denied by interceptor 'all': closed");
    const late = await run({ tools, middleware: [guard(noting()), adding], calls: wanted });
    expect(late[0]).toMatchObject({ status: "error", content: "Error: added is not a valid tool." });
    expect(ran).toHaveBeenCalledExactlyOnceWith("added");
  });

  it("middleware after it cannot change what was judged", async () => {
    const changing = langchain.createMiddleware({
      name: "changing",
      wrapToolCall: (request, handler) =>
        handler({ ...request, toolCall: { ...request.toolCall, args: { n: 99 } } }),
    });
    const [read] = await run({
      tools: everyKind(),
      middleware: [guard(noting()), changing],
      calls: calls("sync"),
    });
    expect(read?.content).toMatch(/its input was changed after the guards judged it/);
    expect(ran).not.toHaveBeenCalled();
  });

  it("each try of a middleware that tries again passes the chain", async () => {
    const noted = noting();
    const twice = langchain.createMiddleware({
      name: "twice",
      wrapToolCall: async (request, handler) => (await handler(request), handler(request)),
    });
    await run({ tools: everyKind(), middleware: [twice, guard(noted)], calls: calls("sync") });
    expect(noted.told()).toEqual(["pre sync", "post sync", "pre sync", "post sync"]);
  });

  it("a sub-agent's calls pass the same chain", async () => {
    const noted = noting();
    const child = guard(noted, { agentId: "child", parentAgentId: "main", depth: 1 });
    const delegate = langchain.tool(
      async () =>
        String((await run({ tools: everyKind(), middleware: [child], calls: calls("sync") }))[0]?.content),
      named("delegate"),
    );
    await run({ tools: [delegate], middleware: [guard(noted)], calls: calls("delegate") });
    expect(noted.told()).toEqual(["pre delegate", "pre sync", "post sync", "post delegate"]);
    expect(noted.seen[1]).toMatchObject({ agentId: "child", parentAgentId: "main", depth: 1 });
  });

  it.each([
    ["a tool of the provider", { type: "web_search_20250305", name: "web_search" }, "web_search"],
    ["a tool by its type alone", { type: "code_interpreter" }, "code_interpreter"],
    ["a tool by its key alone", { codeExecution: {} }, "codeExecution"],
    [
      "a definition that nobody here runs",
      { type: "function", function: { name: "shell", parameters: { type: "object" } } },
      "shell",
    ],
  ])("refuses %s by name, unless it is listed as outside (S15)", async (_what, tool, name) => {
    const tools = [...everyKind(), tool];
    const attempt = (options?: object) =>
      run({ tools, middleware: [guard(noting(), options)], calls: calls("sync") });
    await expect(attempt()).rejects.toThrow(`the tool '${name}' does not run in this process`);
    await expect(attempt()).rejects.toMatchObject({
      cause: { code: "unguarded_tool", details: { tool: name } },
    });
    expect(await attempt({ outside: [name] })).toMatchObject([{ content: "ok" }]);
    const settings = langchain.createMiddleware({
      name: "settings",
      wrapModelCall: (request, handler) => handler({ ...request, modelSettings: { tools: [tool] } }),
    });
    const hidden = run({ tools: everyKind(), middleware: [settings, guard(noting())], calls: calls("sync") });
    await expect(hidden).rejects.toThrow(`'${name}'`);
  });
});
