import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { approveTools, type CallFacts } from "../../src/ai-sdk/index.ts";
import {
  allowAll,
  ApprovalError,
  createApprovalGate,
  denyAll,
  memoryApprovalStore,
  type Approver,
} from "../../src/index.ts";
import { answered, majors, type Ran } from "./majors.ts";

const execute = vi.fn(async ({ path }: { path: string }) => `wrote ${path}`);
const write = () => {
  execute.mockClear();
  return { write: { inputSchema: z.object({ path: z.string() }), execute } };
};
const own = { agentId: "main" };
const calls = [{ name: "write", input: { path: "a" } }];

async function allOf(values: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const value of values) all.push(value);
  return all;
}

describe.each(majors)("approved tools of $name", ({ run }) => {
  it("run what the gate allows, with the approver asked once about the final input", async () => {
    const approve = vi.fn(allowAll.approve);
    const gate = createApprovalGate({ approver: { ...allowAll, approve } });
    const ran = await run(approveTools(write(), gate, own), calls);
    expect(ran.read).toEqual(["wrote a"]);
    expect(approve).toHaveBeenCalledOnce();
    expect(approve.mock.lastCall?.[0]).toMatchObject({
      agentId: "main",
      toolName: "write",
      input: { path: "a" },
      sideEffectLevel: "external",
    });
  });

  it("do not run what the gate denies: the model reads why", async () => {
    // C40
    const ran = await run(approveTools(write(), createApprovalGate({ approver: denyAll }), own), calls);
    expect(ran.read[0]).toMatch(/^Tool execution denied: /);
    expect(ran.asked).toEqual([]);
    expect(execute).not.toHaveBeenCalled();
  });

  it.each([
    ["throws", { approve: () => Promise.reject(new Error("secret")) }],
    ["answers nonsense", { approve: () => "yes" as never }],
  ] satisfies [string, Approver][])("are denied when the approver %s", async (_how, approver) => {
    // C42
    const ran = await run(approveTools(write(), createApprovalGate({ approver }), own), calls);
    expect(ran.read[0]).toMatch(/^Tool execution denied: /);
    expect(String(ran.read[0])).not.toContain("secret");
    expect(execute).not.toHaveBeenCalled();
  });

  it("are not asked about when they only read", async () => {
    // C41
    const gate = createApprovalGate({ approver: denyAll });
    const facts = (): CallFacts => ({ sideEffectLevel: "none" });
    expect((await run(approveTools(write(), gate, { ...own, facts }), calls)).read).toEqual(["wrote a"]);
  });

  describe("with a parked question", () => {
    const parked = (facts?: () => CallFacts) => {
      const store = memoryApprovalStore();
      const gate = createApprovalGate({ approver: denyAll, onAsk: "park", store });
      return { store, gate, tools: approveTools(write(), gate, { ...own, store, facts }) };
    };

    it("ask the user, and run once, with what was approved", async () => {
      const { tools, store } = parked();
      const first = await run(tools, calls);
      expect(first.asked).toHaveLength(1);
      expect(store.list({ state: "open" })).toMatchObject([{ toolName: "write", input: { path: "a" } }]);
      expect(execute).not.toHaveBeenCalled();
      const second = await run(tools, [], answered(first));
      expect(second.read).toEqual(["wrote a"]);
      expect(store.list()).toMatchObject([{ state: "redeemed", resolution: { by: "the user" } }]);
      // Used up: the same conversation, however often it is sent again, asks nothing that its own yes could answer.
      for (const replay of [1, 2]) {
        const replayed = await run(tools, [], answered(first));
        expect(String(replayed.read[0]), `replay ${replay}`).toMatch(/nobody can be asked/);
      }
      expect(execute).toHaveBeenCalledOnce();
      expect(store.list({ state: "open" })).toEqual([]);
    });

    it("do not run when the user says no", async () => {
      const { tools, store } = parked();
      await run(tools, [], answered(await run(tools, calls), false));
      expect(execute).not.toHaveBeenCalled();
      // No code of ours is told of a no: the question lies until it expires, and the call is over.
      expect(store.list()).toMatchObject([{ state: "open" }]);
    });

    it("do not run another input than the approved one", async () => {
      // C4 of the gate, S10: the client rewrites the call in the conversation
      const { tools } = parked();
      const first = await run(tools, calls);
      const forged = JSON.parse(
        JSON.stringify(answered(first)).replaceAll('"path":"a"', '"path":"b"'),
      ) as object[];
      await run(tools, [], forged);
      expect(execute).not.toHaveBeenCalled();
    });

    it("do not run for a yes that nobody asked for", async () => {
      const { tools, store } = parked();
      const asked: Ran = await run(parked().tools, calls);
      for (const sent of [1, 2]) {
        const ran = await run(tools, [], answered(asked));
        expect(String(ran.read[0]), `sent ${sent}`).toMatch(/nobody can be asked/);
      }
      expect(execute).not.toHaveBeenCalled();
      expect(store.list()).toEqual([]);
    });

    it("do not run once the facts around the call have changed", async () => {
      // S10
      let cwd = "/one";
      const { tools } = parked(() => ({ cwd }));
      const first = await run(tools, calls);
      cwd = "/two";
      const ran = await run(tools, [], answered(first));
      expect(String(ran.read[0])).toMatch(/^Tool execution denied: /);
      expect(execute).not.toHaveBeenCalled();
    });
  });

  it("hand an approver's edit back to the model as the call to make", async () => {
    const approve = (): never => ({ decision: "allow", input: { path: "b" } }) as never;
    const ran = await run(approveTools(write(), createApprovalGate({ approver: { approve } }), own), calls);
    expect(ran.read[0]).toBe('Tool execution denied: make the call again with the input {"path":"b"}');
    expect(execute).not.toHaveBeenCalled();
  });

  it("do not run an input that cannot be shown", async () => {
    const at = z.object({ at: z.string().transform((text) => new Date(text)) });
    const tools = { ...write(), at: { inputSchema: at, execute } };
    const gated = approveTools(tools, createApprovalGate({ approver: allowAll }), own);
    const options = { toolCallId: "1", messages: [] };
    const running = (gated.at.execute as (input: unknown, options: unknown) => Promise<unknown>)(
      { at: new Date() },
      options,
    );
    await expect(running).rejects.toThrow(/is not JSON/);
    expect(execute).not.toHaveBeenCalled();
  });

  it.each(["execute", "stream"] as const)(
    "%s with what was shown, whoever holds the input and changes it meanwhile",
    async (way) => {
      const input = { path: "a" };
      const approve: Approver["approve"] = () => {
        input.path = "b";
        return { decision: "allow" };
      };
      async function* generate({ path }: typeof input) {
        yield `wrote ${path}`;
      }
      const gate = createApprovalGate({ approver: { approve } });
      const how = way === "execute" ? execute : generate;
      const tools = { write: { inputSchema: z.object({ path: z.string() }), execute: how } };
      const gated = approveTools(tools, gate, own).write.execute as (...given: unknown[]) => unknown;
      const answer = gated(input, { toolCallId: "1", messages: [] });
      const read = way === "execute" ? [await answer] : await allOf(answer as AsyncIterable<unknown>);
      expect([read, input]).toEqual([["wrote a"], { path: "b" }]);
    },
  );

  it("stream as before", async () => {
    async function* generate() {
      yield "half";
      yield "whole";
    }
    const tools = { write: { inputSchema: z.object({ path: z.string() }), execute: generate } };
    const allowed = approveTools(tools, createApprovalGate({ approver: allowAll }), own);
    expect((await run(allowed, calls)).read).toEqual(["whole"]);
    const denied = approveTools(tools, createApprovalGate({ approver: denyAll }), own);
    expect((await run(denied, calls)).read[0]).toMatch(/^Tool execution denied: /);
  });
});

it.each([
  ["a tool that runs elsewhere", { type: "provider", id: "a.web", inputSchema: {} }, /not here/],
  [
    "a tool with an approval of its own",
    { inputSchema: {}, execute, needsApproval: true },
    /take one of the two out/,
  ],
  ["a tool of ai 4", { parameters: {}, execute }, /needs ai 6 or 7/],
  [
    "a tool search",
    { inputSchema: {}, execute, [Symbol.for("vercel.ai.toolSearch")]: true },
    /framework replaces/,
  ],
])("%s is refused by name, unless it is outside", (_what, tool, words) => {
  const tools = { odd: tool } as Record<string, object>;
  const gate = createApprovalGate({ approver: allowAll });
  const thrown = (() => {
    try {
      return approveTools(tools, gate, own);
    } catch (error) {
      return error;
    }
  })();
  expect(ApprovalError.is(thrown) && thrown.code).toBe("unguarded_tool");
  expect((thrown as Error).message).toMatch(words);
  expect(approveTools(tools, gate, { ...own, outside: ["odd"] })["odd"]).toBe(tool);
});
