import { interpretingValidator } from "@basis/typed-output/interpreter";
import * as langchain from "langchain";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { HookAnswer } from "../../src/index.ts";
import { guardMiddleware } from "../../src/langchain/index.ts";
import { after, before, guard, noting, run, type Call, type Noting } from "./agents.ts";

const ran = vi.fn<(input: unknown) => unknown>();
const add = langchain.tool((input) => ran(input) as string, {
  name: "add",
  description: "adds",
  schema: z.object({ n: z.number() }),
});
const jsonSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const plain = langchain.tool((input) => ran(input) as string, {
  name: "plain",
  description: "adds",
  schema: jsonSchema as never,
});
const call = (name: string, args: Call["args"] = { n: 1 }): Call => ({ name, args });
const withGuard = async (noted: Noting, calls = [call("add")], options = {}) => {
  ran.mockReset().mockReturnValue("sum");
  return run({ tools: [add, plain], middleware: [guard(noted, options)], calls });
};

describe("a call of a langchain agent", () => {
  it("runs once the chain has judged it, and is shown once the chain has reviewed its result", async () => {
    const noted = noting();
    const read = await withGuard(noted, [{ ...call("add"), id: "c7" }], { depth: 0, toolSource: "declared" });
    expect(read).toEqual([{ name: "add", status: "success", content: "sum" }]);
    expect(ran).toHaveBeenCalledExactlyOnceWith({ n: 1 });
    const facts = { agentId: "main", toolName: "add", toolCallId: "c7", depth: 0, toolSource: "declared" };
    expect(noted.seen).toMatchObject([
      { event: "pre_tool_use", input: { n: 1 }, ...facts },
      { event: "post_tool_use", input: { n: 1 }, output: "sum", isError: false, ...facts },
    ]);
  });

  it("that a guard denies does not run: the model reads why, and the run goes on", async () => {
    const read = await withGuard(before({ decision: "deny", reason: "closed" }));
    expect(read).toEqual([{ name: "add", status: "error", content: "denied by interceptor 'all': closed" }]);
    expect(ran).not.toHaveBeenCalled();
  });

  it("runs with what a guard rewrote, held to the tool's schema (H77)", async () => {
    expect(await withGuard(before({ decision: "modify", input: { n: 2 } }))).toHaveLength(1);
    expect(ran).toHaveBeenCalledExactlyOnceWith({ n: 2 });
    const [read] = await withGuard(before({ decision: "modify", input: { n: "x" } }));
    expect(read?.status).toBe("error");
    expect(read?.content).toMatch(
      /^The call was rewritten by interceptor 'all', and the rewrite is no valid input/,
    );
    expect(ran).not.toHaveBeenCalled();
  });

  it("with an input of the model's that does not fit the schema does not run (D37)", async () => {
    const calls = [call("add", { n: "x" }), call("plain", { n: "x" })];
    const own = await withGuard(noting(), calls, { validator: interpretingValidator() });
    expect(own.map(({ status }) => status)).toEqual(["error", "error"]);
    expect(own[0]?.content).toMatch(/^Invalid input for 'add': /);
    expect(own[1]?.content).toBe("Invalid input for 'plain': /n: expected integer");
    // Without an engine of its own the framework's words are read.
    const framework = await withGuard(noting(), calls);
    expect(framework.map(({ status }) => status)).toEqual(["error", "error"]);
    expect(ran).not.toHaveBeenCalled();
  });

  it("is judged anew about what its schema fills in", async () => {
    ran.mockReset().mockReturnValue("ok");
    const schema = z.object({ path: z.string().default("/etc") });
    const tool = langchain.tool((input) => ran(input) as string, { name: "read", description: "r", schema });
    const noted = noting();
    await run({ tools: [tool], middleware: [guard(noted)], calls: [call("read", {})] });
    expect(noted.seen.map(({ input }) => input)).toEqual([{}, { path: "/etc" }, { path: "/etc" }]);
    expect(ran).toHaveBeenCalledExactlyOnceWith({ path: "/etc" });
  });

  it.each<[string, HookAnswer, object]>([
    ["text", { decision: "replace", output: "hidden" }, { status: "success", content: "hidden" }],
    ["JSON", { decision: "replace", output: { n: 1 } }, { status: "success", content: '{"n":1}' }],
    [
      "blocks",
      { decision: "replace", output: [{ type: "text", text: "hidden" }] },
      { status: "success", content: [{ type: "text", text: "hidden" }] },
    ],
    ["an error", { decision: "replace", output: "no", isError: true }, { status: "error", content: "no" }],
    ["a denial", { decision: "deny" }, { status: "error", content: "denied by interceptor 'all'" }],
  ])("shows %s that a reviewer put in place of its result", async (_what, outcome, shown) => {
    expect(await withGuard(after(outcome))).toEqual([{ name: "add", ...shown }]);
    expect(ran).toHaveBeenCalledOnce();
  });

  it("that throws is reviewed as an error, and does not end the run", async () => {
    const noted = noting();
    const middleware = [guard(noted)];
    ran.mockReset().mockImplementation(() => {
      throw new Error("broken");
    });
    const words = "Error: broken\n Please fix your mistakes.";
    expect(await run({ tools: [add], middleware, calls: [call("add")] })).toEqual([
      { name: "add", status: "error", content: words },
    ]);
    expect(noted.seen.at(-1)).toMatchObject({ output: words, isError: true });
    const throwing = {
      tools: [add],
      middleware: [guard(noted, { toolErrors: "throw" })],
      calls: [call("add")],
    };
    await expect(run(throwing)).rejects.toThrow("broken");
  });

  it("that a guard rewrote is denied where approvals are asked outside of the chain (S16)", async () => {
    const rewriting = before({ decision: "modify", input: { n: 2 } });
    const [read] = await withGuard(rewriting, [call("add")], { rewrites: "deny" });
    expect(read?.content).toMatch(/the input was rewritten, and the approval was about another/);
    expect(ran).not.toHaveBeenCalled();
    const kept = await withGuard(noting(), [call("add")], { rewrites: "deny" });
    expect(kept[0]?.content).toBe("sum");
  });

  it("needs langchain 1", () => {
    const attempt = (): unknown => guardMiddleware({} as never, noting().chain, { agentId: "main" });
    expect(attempt).toThrow(/@basis\/hooks\/langchain needs the module of langchain 1/);
  });
});
