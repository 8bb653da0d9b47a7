import { interpretingValidator } from "@basis/typed-output/interpreter";
import { Agent, tool } from "@openai/agents";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createHookChain, type HookAnswer, type HookRequest } from "../../src/index.ts";
import { guardTools } from "../../src/openai-agents/index.ts";
import { readBy, run, scripted, type ScriptedCall } from "./scripted-model.ts";

type Answer = (request: HookRequest) => HookAnswer | Promise<HookAnswer>;
const allow: Answer = () => ({ decision: "allow" });
const own = { agentId: "main", validator: interpretingValidator() };

function chainOf(before: Answer, after: Answer = allow) {
  return createHookChain({
    workspace: "/w",
    participants: [
      {
        name: "guard",
        events: ["pre_tool_use", "post_tool_use"],
        intercept: (request) => (request.event === "pre_tool_use" ? before(request) : after(request)),
      },
    ],
    report: () => undefined,
  });
}

const execute = vi.fn(async ({ path }: { path: string }) => `content of ${path}`);
const read = (more: object = {}) =>
  tool({
    name: "read",
    description: "Reads.",
    parameters: z.object({ path: z.string() }),
    execute,
    ...more,
  } as never);

/** What the model reads after it made these calls with this tool under this chain. */
async function results(chain: ReturnType<typeof chainOf>, given: object, ...calls: ScriptedCall[]) {
  execute.mockClear();
  const model = scripted(calls);
  const agent = new Agent({ name: "main", model, tools: guardTools([given], chain, own) as never });
  const result = await run(agent);
  return { read: readBy(model), result };
}
const a = { name: "read", input: { path: "a" } };

describe("guarded tools of OpenAI Agents", () => {
  it("run what the guards allow, and tell the model why they deny", async () => {
    const noKeys: Answer = ({ input }) =>
      (input as { path: string }).path === "a" ? { decision: "allow" } : { decision: "deny", reason: "no" };
    const ran = await results(chainOf(noKeys), read(), a, { name: "read", input: { path: "b" } });
    expect(ran.read).toEqual(["content of a", "denied by interceptor 'guard': no"]);
    expect(ran.result.finalOutput).toBe("done");
    expect(execute).toHaveBeenCalledTimes(1);
    const frozen = await results(chainOf(noKeys), Object.freeze(read()), a);
    expect(frozen.read).toEqual(["content of a"]);
  });

  it("get the input that a guard rewrote, also where they read the call itself", async () => {
    const seen: unknown[] = [];
    const spy = vi.fn(async ({ path }: { path: string }, _context: unknown, details: never) => {
      seen.push((details as { toolCall: { arguments: string } }).toolCall.arguments);
      return path;
    });
    const rewrite: Answer = () => ({ decision: "modify", input: { path: "safe" } });
    const ran = await results(chainOf(rewrite), read({ execute: spy }), a);
    expect(ran.read).toEqual(["safe"]);
    expect(seen).toEqual(['{"path":"safe"}']);
  });

  it("deny when a guard throws, or rewrites into what the schema refuses", async () => {
    const throws = await results(
      chainOf(() => Promise.reject(new Error("x"))),
      read(),
      a,
    );
    expect(throws.read[0]).toMatch(/could not answer and denies/);
    const bad = await results(
      chainOf(() => ({ decision: "modify", input: { path: 7 } })),
      read(),
      a,
    );
    expect(bad.read[0]).toMatch(/rewritten by interceptor 'guard'.*no valid input for 'read'/);
    expect(execute).not.toHaveBeenCalled();
  });

  it("D37: refuse inputs that a JSON Schema alone does not allow, text that is no JSON and keys that stand twice", async () => {
    const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
    const plain = read({ parameters: { ...parameters, additionalProperties: false }, strict: true });
    const ran = await results(
      chainOf(allow),
      plain,
      a,
      { name: "read", input: { path: 7 } },
      { name: "read", input: '{"path":"a","path":"b"}' },
    );
    expect(ran.read).toEqual([
      "content of a",
      "Invalid input for 'read': /path: expected string",
      expect.stringMatching(/^Invalid input for 'read': /),
    ]);
    expect(execute).toHaveBeenCalledTimes(1);
    const broken = await results(chainOf(allow), plain, { name: "read", input: "{" });
    expect(broken.result.finalOutput).toBe("done");
    expect(execute).not.toHaveBeenCalled();
  });

  it("S7: what a schema converts is judged anew before it runs", async () => {
    const seen: unknown[] = [];
    const noEnv: Answer = ({ input }) => {
      seen.push(input);
      return (input as { path: string }).path === ".env" ? { decision: "deny" } : { decision: "allow" };
    };
    const trimmed = read({ parameters: z.object({ path: z.string().overwrite((text) => text.trim()) }) });
    const ran = await results(chainOf(noEnv), trimmed, a, { name: "read", input: { path: " .env" } });
    expect(ran.read).toEqual(["content of a", expect.stringMatching(/denied by interceptor 'guard'/)]);
    expect(seen).toEqual([{ path: "a" }, { path: " .env" }, { path: ".env" }]);
    expect(execute).toHaveBeenCalledTimes(1);
    const fine = await results(chainOf(noEnv), trimmed, { name: "read", input: { path: " b " } });
    expect(fine.read).toEqual(["content of b"]);
  });

  it("show what a reviewer put in place of a result or of an error", async () => {
    const seen: HookRequest[] = [];
    const replace: Answer = (request) => (seen.push(request), { decision: "replace", output: "(gone)" });
    expect((await results(chainOf(allow, replace), read(), a)).read).toEqual(["(gone)"]);
    const fails = async () => Promise.reject(new Error("EACCES"));
    const failed = await results(chainOf(allow, replace), read({ execute: fails, errorFunction: null }), a);
    expect(failed.read).toEqual(["(gone)"]);
    expect(seen).toMatchObject([
      { output: "content of a", isError: false },
      { output: "EACCES", isError: true },
    ]);
    const thrown = results(chainOf(allow), read({ execute: fails, errorFunction: null }), a);
    await expect(thrown).rejects.toThrow("EACCES");
  });

  it("are denied once the run is aborted", async () => {
    const controller = new AbortController();
    const [guarded] = guardTools(
      [read()],
      chainOf(() => (controller.abort(), { decision: "allow" })),
      own,
    );
    const details = { toolCall: { callId: "1" }, signal: controller.signal };
    const invoke = guarded as unknown as { invoke(...given: unknown[]): Promise<unknown> };
    expect(await invoke.invoke(undefined, '{"path":"a"}', details)).toMatch(/the turn was aborted/);
  });
});

describe("approvals (S16)", () => {
  const risky = (needsApproval: unknown = true) => read({ needsApproval });

  it("ask a person about what the guards left, and run it after the yes", async () => {
    const seen: string[] = [];
    const { result } = await results(
      chainOf(() => (seen.push("judged"), { decision: "allow" })),
      risky(),
      a,
    );
    expect(result.interruptions).toHaveLength(1);
    expect(seen).toEqual(["judged"]);
    result.state.approve(result.interruptions[0]!);
    const done = await run(result.state._currentAgent, result.state);
    expect(done.finalOutput).toBe("done");
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it("ask nobody about a call that the guards deny, or that they rewrite", async () => {
    const denied = await results(
      chainOf(() => ({ decision: "deny", reason: "no" })),
      risky(),
      a,
    );
    expect(denied.result.interruptions).toHaveLength(0);
    expect(denied.read).toEqual(["denied by interceptor 'guard': no"]);
    const modify: Answer = () => ({ decision: "modify", input: { path: "b" } });
    const rewritten = await results(chainOf(modify), risky(), a);
    expect(rewritten.read[0]).toMatch(/was rewritten, and nobody can be shown it/);
    expect(execute).not.toHaveBeenCalled();
  });

  it("deny a rewrite after the yes", async () => {
    let isLater = false;
    const later: Answer = () =>
      isLater ? { decision: "modify", input: { path: "other" } } : { decision: "allow" };
    const { result } = await results(chainOf(later), risky(), a);
    result.state.approve(result.interruptions[0]!);
    isLater = true;
    const done = await run(result.state._currentAgent, result.state);
    expect(JSON.stringify(done.history)).toMatch(/the approval was about another/);
    expect(execute).not.toHaveBeenCalled();
  });

  it("deny a call that needs one and that nobody was asked about", async () => {
    const [guarded] = guardTools([risky()], chainOf(allow), own) as unknown as {
      invoke(...given: unknown[]): Promise<unknown>;
    }[];
    expect(await guarded!.invoke(undefined, '{"path":"a"}')).toMatch(/nobody was asked/);
  });
});
