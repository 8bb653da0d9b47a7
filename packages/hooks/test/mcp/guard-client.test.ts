import { interpretingValidator } from "@basis/typed-output/interpreter";
import { describe, expect, it } from "vitest";
import { createHookChain, HookError, type HookAnswer, type HookRequest } from "../../src/index.ts";
import { guardMcpClient } from "../../src/mcp/index.ts";
import { clients, connect1 } from "./clients.ts";

/** A chain that notes every request and answers with `answer`. */
const noting = (answer: (request: HookRequest) => HookAnswer = () => ({ decision: "allow" })) => {
  const seen: HookRequest[] = [];
  const intercept = (request: HookRequest): HookAnswer => (seen.push(request), answer(request));
  const chain = createHookChain({
    workspace: "/w",
    participants: [{ name: "all", events: ["pre_tool_use", "post_tool_use"], intercept }],
    report: () => undefined,
  });
  return { chain, seen };
};
const before = (outcome: HookAnswer) =>
  noting(({ event }) => (event === "pre_tool_use" ? outcome : { decision: "allow" }));
const after = (outcome: HookAnswer) =>
  noting(({ event }) => (event === "post_tool_use" ? outcome : { decision: "allow" }));
const own = { agentId: "main", server: "memory", validator: interpretingValidator() };
const textOf = (result: unknown): unknown => (result as { content: { text: string }[] }).content[0]?.text;
const denial = "denied by interceptor 'all': closed";
const add = { name: "add", arguments: { n: 1 } };

describe.each(clients)("the tools of a client of $name", ({ connect }) => {
  it("run once the chain has judged the call, and are answered once it has reviewed the result", async () => {
    const { client, called } = await connect();
    const { chain, seen } = noting();
    const guarded = guardMcpClient(client, chain, own);
    expect(textOf(await guarded.callTool(add, undefined, { toolCallId: "c1" }))).toBe("sum sk-1");
    expect(called).toMatchObject([add]);
    expect(seen).toMatchObject([
      { event: "pre_tool_use", toolName: "add", toolCallId: "c1", toolSource: "mcp:memory", input: { n: 1 } },
      { event: "post_tool_use", input: { n: 1 }, output: "sum sk-1", isError: false },
    ]);
    expect(textOf(await guarded.callTool({ name: "typed", arguments: { n: 1 } }))).toBe("{}");
    expect(seen.at(-1)).toMatchObject({ output: { structuredContent: { sum: 3 } }, isError: false });
    expect((await guarded.callTool({ name: "failing", arguments: { n: 1 } })).isError).toBe(true);
    expect(seen.at(-1)).toMatchObject({ output: "no", isError: true });
    expect(new Set(seen.map(({ toolCallId }) => toolCallId)).size).toBe(3);
    await client.close();
  });

  it("do not run when a guard denies: the model reads why", async () => {
    const { client, called } = await connect();
    const guarded = guardMcpClient(client, before({ decision: "deny", reason: "closed" }).chain, own);
    expect(await guarded.callTool(add)).toEqual({ content: [{ type: "text", text: denial }], isError: true });
    expect(called).toEqual([]);
    await client.close();
  });

  it("get what a guard rewrote, held to the schema that the server lists (D37, H77)", async () => {
    const { client, called, lists } = await connect();
    const rewritten = guardMcpClient(client, before({ decision: "modify", input: { n: 2 } }).chain, own);
    await rewritten.callTool(add);
    expect(called).toMatchObject([{ name: "add", arguments: { n: 2 } }]);
    const broken = guardMcpClient(client, before({ decision: "modify", input: { n: "x" } }).chain, own);
    expect(textOf(await broken.callTool(add))).toBe(
      "The call was rewritten by interceptor 'all', and the rewrite is no valid input for 'add': /n: expected integer",
    );
    const plain = guardMcpClient(client, noting().chain, own);
    const wrong = await plain.callTool({ name: "add", arguments: { n: "x" } });
    expect([textOf(wrong), wrong.isError]).toEqual(["Invalid input for 'add': /n: expected integer", true]);
    const none = await plain.callTool({ name: "none" });
    expect(textOf(none)).toBe("Invalid input for 'none': the server lists no such tool");
    expect(called).toHaveLength(1);
    const listed = lists();
    await plain.callTool({ name: "typed", arguments: { n: 1 } });
    expect(lists()).toBe(listed);
    await client.close();
  });

  it("have their results replaced or withheld by a reviewer", async () => {
    const { client } = await connect();
    const withReview = (outcome: HookAnswer) =>
      guardMcpClient(client, after(outcome).chain, own).callTool(add);
    const content = [{ type: "text", text: "hidden" }];
    expect(await withReview({ decision: "replace", output: "hidden" })).toEqual({ content, isError: false });
    expect(await withReview({ decision: "replace", output: { content } })).toEqual({
      content,
      isError: false,
    });
    expect(textOf(await withReview({ decision: "replace", output: { n: 1 } }))).toBe('{"n":1}');
    const denied = await withReview({ decision: "deny", reason: "closed" });
    expect([textOf(denied), denied.isError]).toEqual([denial, true]);
    await client.close();
  });
});

describe("what an MCP server says of its tools", () => {
  it("does not lower what a call counts as: a guard of writes is asked although the tool claims to only read", async () => {
    const { client, called } = await connect1();
    const chain = createHookChain({
      workspace: "/w",
      participants: [{ name: "writes", effect: ["write"], intercept: () => ({ decision: "deny" }) }],
    });
    const call = { name: "drop", arguments: { n: 1 } };
    const denied = await guardMcpClient(client, chain, own).callTool(call);
    expect(textOf(denied)).toBe("denied by interceptor 'writes'");
    // The control: what the host itself says does count.
    const known = guardMcpClient(client, chain, { ...own, effectOf: () => "read" });
    expect(textOf(await known.callTool(call))).toBe("dropped");
    expect(called).toHaveLength(1);
    await client.close();
  });
});

describe("no way to call a tool escapes the chain", () => {
  it("offers nothing else of the client, and refuses calls as tasks", async () => {
    const { client, called } = await connect1();
    const guarded = guardMcpClient(client, noting().chain, own);
    expect(Object.keys(guarded)).toEqual(["callTool", "listTools"]);
    expect(Object.isFrozen(guarded)).toBe(true);
    const asTask = guarded.callTool({ ...add, task: { ttl: 1000 } });
    await expect(asTask).rejects.toMatchObject({ code: "unguarded_tool", details: { tool: "add" } });
    expect(called).toEqual([]);
    await client.close();
  });

  it("denies what it cannot check: a server that does not answer the list", async () => {
    const called: string[] = [];
    const client = {
      listTools: async () => Promise.reject(new Error("gone")),
      callTool: async (_call: object) => (called.push("ran"), { content: [] }),
    };
    const result = await guardMcpClient(client, noting().chain, own).callTool(add);
    expect(textOf(result)).toBe("denied: the call of 'add' does not run: its input could not be checked");
    expect(called).toEqual([]);
  });

  it("reviews what the client throws, and throws it when nobody answers otherwise", async () => {
    const { client } = await connect1();
    const page = { tools: [{ name: "gone", inputSchema: { type: "object" } }] };
    const listing = { listTools: async () => page, callTool: client.callTool.bind(client) };
    const { chain, seen } = noting();
    const gone = { name: "gone", arguments: {} };
    await expect(guardMcpClient(listing, chain, own).callTool(gone)).rejects.toThrow("the server broke");
    expect(seen.at(-1)).toMatchObject({ event: "post_tool_use", isError: true });
    const hiding = after({ decision: "replace", output: "hidden" }).chain;
    expect(await guardMcpClient(listing, hiding, own).callTool(gone)).toEqual({
      content: [{ type: "text", text: "hidden" }],
      isError: true,
    });
    await client.close();
  });

  it("denies a call whose turn was aborted", async () => {
    const { client, called } = await connect1();
    const signal = AbortSignal.abort();
    const result = await guardMcpClient(client, noting().chain, own).callTool(add, undefined, { signal });
    expect(result.isError).toBe(true);
    expect(called).toEqual([]);
    await client.close();
  });

  it("says which client it needs when it gets another thing", () => {
    const attempt = (): unknown => guardMcpClient({ tools: [] } as never, noting().chain, own);
    expect(attempt).toThrow(HookError);
    expect(attempt).toThrow(/'mcp:memory' .*@modelcontextprotocol\/sdk 1/);
  });
});
