import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { guardTools } from "../../src/ai-sdk/index.ts";
import { createHookChain, type HookAnswer } from "../../src/index.ts";
import { majors, type Ran } from "./majors.ts";

const allow: HookAnswer = { decision: "allow" };
const deny: HookAnswer = { decision: "deny", reason: "no" };
const modify: HookAnswer = { decision: "modify", input: { path: "b" } };
const own = { agentId: "main" };
const start = { role: "user", content: "go" };

/** A chain whose one guard gives these answers, the last one for ever. */
const answering = (...answers: HookAnswer[]) => {
  const left = [...answers];
  const intercept = (): HookAnswer => (left.length > 1 ? left.shift()! : left[0]!);
  return createHookChain({
    workspace: "/w",
    participants: [{ name: "guard", intercept }],
    report: () => undefined,
  });
};

/** The conversation after a person has answered everything that was asked. */
const answered = (ran: Ran, approved: boolean): object[] => [
  start,
  ...ran.messages,
  {
    role: "tool",
    content: ran.asked.map(({ approvalId }) => ({ type: "tool-approval-response", approvalId, approved })),
  },
];

describe.each(majors)("the approval stage of $name", ({ generate, stream }) => {
  const execute = vi.fn(({ path }: { path: string }) => `content of ${path}`);
  const replies = [{ calls: [{ name: "read", input: { path: "a" } }] }];
  const toolsOf = (chain: ReturnType<typeof answering>, needsApproval: unknown = true) => {
    execute.mockClear();
    const read = { inputSchema: z.object({ path: z.string() }), needsApproval, execute };
    return guardTools({ read }, chain, own);
  };

  it.each(["generate", "stream"] as const)(
    "asks a person after the guards; by %s, what was approved runs once",
    async (how) => {
      // S16: the positive control
      const run = how === "generate" ? generate : stream;
      const tools = toolsOf(answering(allow));
      const first = await run({ tools, replies });
      expect(first.asked).toHaveLength(1);
      expect(execute).not.toHaveBeenCalled();
      const second = await run({ tools, replies: [], messages: answered(first, true) });
      expect(second.read[0]?.value).toBe("content of a");
      expect(execute).toHaveBeenCalledOnce();
      const refused = await run({ tools, replies: [], messages: answered(first, false) });
      expect(refused.read[0]?.type).toBe("execution-denied");
      expect(execute).toHaveBeenCalledOnce();
    },
  );

  it("asks nobody about a call that the guards deny", async () => {
    const ran = await generate({ tools: toolsOf(answering(deny)), replies });
    expect(ran.asked).toEqual([]);
    expect(ran.read[0]?.value).toBe("denied by interceptor 'guard': no");
  });

  it("asks nobody about a rewrite, which nobody could be shown: it is denied", async () => {
    const ran = await generate({ tools: toolsOf(answering(modify)), replies });
    expect(ran.asked).toEqual([]);
    expect(ran.read[0]?.value).toContain("rewritten, and nobody can be shown it");
    expect(execute).not.toHaveBeenCalled();
  });

  it("denies what guards rewrite after the approval", async () => {
    // S16
    const tools = toolsOf(answering(allow, modify));
    const first = await generate({ tools, replies });
    const second = await generate({ tools, replies: [], messages: answered(first, true) });
    expect(JSON.stringify(second.read)).toMatch(/denied|does not require approval/);
    expect(execute).not.toHaveBeenCalled();
  });

  it("denies what guards allow only once nobody is asked any more", async () => {
    const ran = await generate({ tools: toolsOf(answering(deny, allow)), replies });
    expect(ran.asked).toEqual([]);
    expect(ran.read[0]?.value).toContain("needs an approval, and nobody was asked");
    expect(execute).not.toHaveBeenCalled();
  });

  it("lets a predicate see what the guards left", async () => {
    const needsApproval = vi.fn(({ path }: { path: string }) => path === "z");
    const ran = await generate({ tools: toolsOf(answering(allow), needsApproval), replies });
    expect(ran.read[0]?.value).toBe("content of a");
    const rewritten = await generate({ tools: toolsOf(answering(modify), needsApproval), replies });
    expect(rewritten.read[0]?.value).toBe("content of b");
    expect(needsApproval.mock.lastCall?.[0]).toEqual({ path: "b" });
  });
});

describe("approvals that ai 7 asks outside of the tools", () => {
  const { generate } = majors[1]!;
  const execute = vi.fn(() => "ok");
  const replies = [{ calls: [{ name: "read", input: { path: "a" } }] }];
  const read = { inputSchema: z.object({ path: z.string() }), execute };

  it("bind what runs: a rewrite after a person's yes is denied", async () => {
    // S16
    const settings = { toolApproval: { read: "user-approval" } };
    const tools = guardTools({ read }, answering(allow), own);
    const first = await generate({ tools, replies, settings });
    expect(first.asked).toHaveLength(1);
    const messages = answered(first, true);
    const late = guardTools({ read }, answering(modify), own);
    const denied = await generate({ tools: late, replies: [], messages, settings });
    expect(denied.read[0]?.value).toContain("the approval was about another");
    expect(execute).not.toHaveBeenCalled();
    const ran = await generate({ tools, replies: [], messages, settings });
    expect(ran.read[0]?.value).toBe("ok");
  });

  it("bind what runs after a rule's yes, with rewrites: deny", async () => {
    const settings = { toolApproval: { read: "approved" } };
    const tools = guardTools({ read }, answering(modify), { ...own, rewrites: "deny" });
    execute.mockClear();
    const ran = await generate({ tools, replies, settings });
    expect(ran.read[0]?.value).toContain("the approval was about another");
    expect(execute).not.toHaveBeenCalled();
  });
});
