import { interpretingValidator } from "@basis/typed-output/interpreter";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { guardTools } from "../../src/ai-sdk/index.ts";
import { createHookChain, type HookAnswer, type HookRequest, type Participant } from "../../src/index.ts";
import { majors } from "./majors.ts";

type Answer = (request: HookRequest) => HookAnswer | Promise<HookAnswer>;
const allow: Answer = () => ({ decision: "allow" });
const guard = (intercept: Answer, review?: Answer): Participant => ({
  name: "guard",
  intercept,
  ...(review && { review }),
});
const chainOf = (...participants: Participant[]) =>
  createHookChain({ workspace: "/w", participants, report: () => undefined });
const own = { agentId: "main", validator: interpretingValidator() };

describe.each(majors)("guarded tools of $name", ({ ai, generate }) => {
  const execute = vi.fn(async ({ path }: { path: string }) => `content of ${path}`);
  const read = () => {
    execute.mockClear();
    return ai.tool({ description: "Reads.", inputSchema: z.object({ path: z.string() }), execute });
  };
  const call = (input: unknown, name = "read") => ({ calls: [{ name, input }] });
  const ask = (
    participants: Participant[],
    tools: object = { read: read() },
    input: unknown = { path: "a" },
  ) => generate({ tools: guardTools(tools, chainOf(...participants), own), replies: [call(input)] });

  it("run a call that the chain allows, with what was judged", async () => {
    // H75: the positive control
    const seen: HookRequest[] = [];
    const ran = await ask([guard((request) => (seen.push(request), { decision: "allow" }))]);
    expect(ran.read).toEqual([{ toolName: "read", type: "text", value: "content of a" }]);
    expect(seen).toMatchObject([
      { agentId: "main", toolName: "read", toolCallId: "call-1", input: { path: "a" } },
    ]);
  });

  it("do not run a denied call: the model reads the reason and goes on", async () => {
    // H75
    const ran = await ask([guard(() => ({ decision: "deny", reason: "not that one" }))]);
    expect(ran.read).toEqual([
      { toolName: "read", type: "error-text", value: "denied by interceptor 'guard': not that one" },
    ]);
    expect(ran.text).toBe("done");
    expect(execute).not.toHaveBeenCalled();
  });

  it.each([
    ["throws", () => Promise.reject(new Error("secret"))],
    ["answers nonsense", () => ({ decision: "perhaps" }) as never],
  ] satisfies [string, Answer][])("deny when a guard %s", async (_how, answer) => {
    const ran = await ask([guard(answer)]);
    expect(ran.read[0]?.type).toBe("error-text");
    expect(JSON.stringify(ran.read)).not.toContain("secret");
    expect(execute).not.toHaveBeenCalled();
  });

  it("run the rewritten input, checked against the schema", async () => {
    // H76, H77
    const rewrite = (input: object) => guard(() => ({ decision: "modify", input: input as never }));
    const ran = await ask([rewrite({ path: "b" })]);
    expect(ran.read[0]?.value).toBe("content of b");
    const broken = await ask([rewrite({ path: 7 })]);
    expect(broken.read[0]?.value).toMatch(
      /^The call was rewritten by interceptor 'guard', and the rewrite is no valid input for 'read': /,
    );
    expect(execute).not.toHaveBeenCalled();
  });

  it("are asked again about what the schema fills in and converts", async () => {
    // S7
    const inputs: unknown[] = [];
    const tools = {
      read: ai.tool({ inputSchema: z.object({ path: z.string(), depth: z.number().default(3) }), execute }),
    };
    const first = guard(({ input }) => {
      inputs.push(input);
      return "depth" in (input as object) && inputs.length > 1
        ? { decision: "allow" }
        : { decision: "modify", input: { path: "b" } };
    });
    await ask([first], tools);
    expect(inputs).toEqual([
      { path: "a", depth: 3 },
      { path: "b", depth: 3 },
    ]);
    expect(execute.mock.lastCall?.[0]).toEqual({ path: "b", depth: 3 });
    execute.mockClear();
    const stubborn = await ask([guard(() => ({ decision: "modify", input: { path: "b" } }))], tools);
    expect(stubborn.read[0]?.value).toContain("still changes after 3 rounds");
    expect(execute).not.toHaveBeenCalled();
  });

  it("check inputs that the framework does not", async () => {
    // D37
    const path = { type: "string" as const };
    const schema = { type: "object" as const, properties: { path }, required: ["path"] };
    const tools = { read: ai.tool({ inputSchema: ai.jsonSchema<{ path: string }>(schema), execute }) };
    execute.mockClear();
    const wrong = await ask([guard(allow)], tools, { path: 7 });
    expect(wrong.read).toEqual([
      { toolName: "read", type: "error-text", value: "Invalid input for 'read': /path: expected string" },
    ]);
    expect(execute).not.toHaveBeenCalled();
    expect((await ask([guard(allow)], tools)).read[0]?.value).toBe("content of a");
    expect(() => guardTools(tools, chainOf(), { agentId: "main" })).toThrow(
      /'read' has a JSON Schema that nobody checks/,
    );
  });

  it("give the tool what was judged, not what somebody changed meanwhile", async () => {
    const tools = { read: read() };
    const guarded = guardTools(tools, chainOf(guard(allow)), own);
    const input = { path: "a" };
    const running = guarded.read.execute!(input, { toolCallId: "1", messages: [] });
    input.path = "z";
    expect(await running).toBe("content of a");
  });

  it("do not run what JSON cannot show to a guard", async () => {
    execute.mockClear();
    const at = { inputSchema: z.object({ at: z.string().transform((text) => new Date(text)) }), execute };
    const late = await generate({
      tools: guardTools({ at }, chainOf(guard(allow)), own),
      replies: [call({ at: "2026-01-01" }, "at")],
    });
    expect(late.read[0]?.value).toContain("not JSON");
    expect(execute).not.toHaveBeenCalled();
  });

  it("show what reviewers leave of results and of errors", async () => {
    // H79, H80, H81
    const reviewed = async (review: Answer, tools?: object) =>
      (await ask([guard(allow, review)], tools)).read[0];
    const replaced = await reviewed(() => ({ decision: "replace", output: { safe: true } }));
    expect(replaced).toMatchObject({ type: "json", value: { safe: true } });
    const denied = await reviewed(() => ({ decision: "deny", reason: "secret found" }));
    expect(denied).toMatchObject({
      type: "error-text",
      value: "denied by interceptor 'guard': secret found",
    });
    expect(execute).toHaveBeenCalledOnce();
    const fails = { read: { ...read(), execute: () => Promise.reject(new Error("EACCES /home")) } };
    const seen: HookRequest[] = [];
    const error = await reviewed((request) => (seen.push(request), { decision: "allow" }), fails);
    expect(error).toMatchObject({ type: "error-text", value: expect.stringContaining("EACCES /home") });
    expect(seen).toMatchObject([{ output: "EACCES /home", isError: true }]);
    const hidden = await reviewed(() => ({ decision: "replace", output: "it failed" }), fails);
    expect(hidden).toMatchObject({ type: "error-text", value: "it failed" });
    const mended = await reviewed(() => ({ decision: "replace", output: "none", isError: false }), fails);
    expect(mended).toMatchObject({ type: "text", value: "none" });
  });

  it("show a replaced result as it is, and others by the tool's own toModelOutput", async () => {
    const toModelOutput = ({ output }: { output: string }) => ({
      type: "text" as const,
      value: `<${output}>`,
    });
    const tools = () => ({ read: { ...read(), toModelOutput } });
    expect((await ask([guard(allow)], tools())).read[0]?.value).toBe("<content of a>");
    const replace: Answer = () => ({ decision: "replace", output: "safe" });
    expect((await ask([guard(allow, replace)], tools())).read[0]?.value).toBe("safe");
  });

  it("are denied once the run is aborted", async () => {
    const controller = new AbortController();
    const guarded = guardTools(
      { read: read() },
      chainOf(guard(() => (controller.abort(), { decision: "allow" }))),
      own,
    );
    const options = { toolCallId: "1", messages: [], abortSignal: controller.signal };
    await expect(guarded.read.execute!({ path: "a" }, options as never)).rejects.toThrow(
      /the turn was aborted/,
    );
    expect(execute).not.toHaveBeenCalled();
  });
});
