import { describe, expect, it, vi } from "vitest";
import { createHookChain, HookError, type HookOutcome, type Participant } from "../src/index.ts";
import { sampleCall, scriptedHook, scriptedInterceptor } from "../src/testing/index.ts";

const chainOf = (participants: readonly Participant[]) => {
  const reports: string[] = [];
  const chain = createHookChain({
    workspace: "/w",
    participants,
    report: (message) => reports.push(message),
  });
  return { chain, reports, before: () => chain.beforeCall(sampleCall()) };
};
const allow = { decision: "allow" } as const;
const deny = (reason?: string) => ({ decision: "deny", ...(reason !== undefined && { reason }) }) as const;
const modify = (command: string, reason?: string) =>
  ({ decision: "modify", input: { command }, ...(reason !== undefined && { reason }) }) as const;
const reasonOf = (outcome: HookOutcome) => ("reason" in outcome ? outcome.reason : undefined);

describe("an empty chain", () => {
  it("allows at once, with the same answer every time and nothing noted", () => {
    // H18
    const { chain, before } = chainOf([]);
    const unreadable = new Proxy(sampleCall(), {
      get: () => {
        throw new Error("looked at");
      },
    });
    expect(chain.beforeCall(unreadable)).toEqual(allow);
    expect(before()).toBe(before());
    expect(chain.afterCall(unreadable, { output: "x", isError: false })).toEqual(allow);
    expect(chain.trail).toEqual([]);
  });
});

describe("a chain", () => {
  it("ends at the first denial", () => {
    // H19
    const later = scriptedHook("later", [allow]);
    const { before } = chainOf([scriptedHook("a", [allow]), scriptedHook("b", [deny("no")]), later]);
    expect(before()).toEqual({ decision: "deny", reason: "denied by hook 'b': no" });
    expect(later.requests).toHaveLength(0);
  });

  it("shows each participant what its predecessors left", () => {
    // H20
    const [a, b, c] = [
      scriptedHook("a", [modify("one")]),
      scriptedHook("b", [(request) => modify(`${(request.input as { command: string }).command} two`)]),
      scriptedHook("c", [allow]),
    ];
    expect(chainOf([a, b, c]).before()).toMatchObject({ decision: "modify", input: { command: "one two" } });
    expect([a, b, c].map(({ requests }) => requests[0]?.input)).toEqual([
      { command: "ls" },
      { command: "one" },
      { command: "one two" },
    ]);
  });

  it("drops earlier rewrites when a later participant denies", () => {
    // H21
    const { before } = chainOf([scriptedHook("a", [modify("one")]), scriptedHook("b", [deny()])]);
    expect(before()).toEqual({ decision: "deny", reason: "denied by hook 'b'" });
  });

  it("names every hand in order", () => {
    // H22
    const { before } = chainOf([
      scriptedInterceptor("a", [modify("one", "first"), allow]),
      scriptedHook("b", [allow]),
      scriptedHook("c", [modify("two")]),
    ]);
    expect(before()).toEqual({
      decision: "modify",
      input: { command: "two" },
      reason: "interceptor 'a': first; hook 'c'",
    });
  });

  it("says who denied, with the reason if there is one", () => {
    // H23
    const words = (answer: ReturnType<typeof deny>) =>
      reasonOf(chainOf([scriptedHook("g", [answer])]).before() as HookOutcome);
    expect(words(deny("too broad"))).toBe("denied by hook 'g': too broad");
    expect(words(deny())).toBe("denied by hook 'g'");
    expect(words(deny(""))).toBe("denied by hook 'g'");
  });

  it("speaks of a hook and of an interceptor in the same words, but for one", () => {
    // H24
    const answers = [deny("no"), deny(), new Error("x"), { decision: "maybe" } as never, modify("y", "z")];
    for (const answer of answers) {
      const hook = chainOf([scriptedHook("g", [answer])]);
      const interceptor = chainOf([scriptedInterceptor("g", [answer])]);
      const texts = [hook, interceptor].map(
        ({ before, reports }) => `${reasonOf(before() as HookOutcome)} | ${reports.join()}`,
      );
      expect(texts[1]?.replaceAll("interceptor 'g'", "hook 'g'")).toBe(texts[0]);
      expect(texts[1]).not.toBe(texts[0]);
    }
  });

  it("denies on failure by default, and asks nobody after that", () => {
    // H25
    const later = scriptedHook("later", [allow]);
    const { before } = chainOf([scriptedHook("g", [new Error("secret path")]), later]);
    expect(before()).toEqual({
      decision: "deny",
      reason: "hook 'g' could not answer and denies on failure: threw an error",
    });
    expect(later.requests).toHaveLength(0);
  });

  it("goes on unchanged past a hook that fails open, and still asks the rest", () => {
    // H26
    const open = scriptedHook("open", [new Error("x")], { onFailure: "allow" });
    const later = scriptedHook("later", [deny("no")]);
    expect(chainOf([open, later]).before()).toEqual(deny("denied by hook 'later': no"));
    expect(later.requests[0]?.input).toEqual({ command: "ls" });
    expect(chainOf([scriptedHook("open", [new Error("x")], { onFailure: "allow" })]).before()).toBe(
      chainOf([]).before(),
    );
  });

  it.each(["deny", "allow"] as const)(
    "reports a broken hook exactly once when it fails to %s",
    (onFailure) => {
      // H27
      const { before, reports } = chainOf([scriptedHook("g", [new Error("disk full")], { onFailure })]);
      expect((before() as HookOutcome).decision).toBe(onFailure);
      expect(reports).toEqual(["hook 'g' threw an error: disk full"]);
    },
  );

  it("keeps an earlier rewrite past a hook that fails open", () => {
    // H28
    const open = scriptedHook("b", [new Error("x")], { onFailure: "allow" });
    expect(chainOf([scriptedHook("a", [modify("one")]), open]).before()).toEqual({
      decision: "modify",
      input: { command: "one" },
      reason: "hook 'a'",
    });
  });

  it("takes an answer that belongs to the other event for a failure, and says so", () => {
    // H29
    const pre = chainOf([scriptedHook("g", [{ decision: "replace", output: 1 }])]);
    expect(reasonOf(pre.before() as HookOutcome)).toContain(
      "answered replace to pre_tool_use, where only allow, deny and modify are answers",
    );
    const post = chainOf([scriptedHook("g", [modify("x")], { events: ["post_tool_use"] })]);
    const after = post.chain.afterCall(sampleCall(), { output: "x", isError: false }) as HookOutcome;
    expect(reasonOf(after)).toContain("answered modify to post_tool_use");
    expect(post.reports).toHaveLength(1);
  });

  it("runs two participants of one name", () => {
    // H32
    const [first, second] = [scriptedHook("same", [allow]), scriptedHook("same", [allow])];
    void chainOf([first, second]).before();
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
  });

  it("asks interceptors, then global hooks, then workspace hooks, each in their own order", () => {
    // H33
    const { chain } = chainOf([
      scriptedHook("w1", []),
      scriptedHook("g1", [], { rank: "global" }),
      scriptedInterceptor("i1", []),
      scriptedHook("w2", []),
      scriptedInterceptor("i2", []),
      scriptedHook("g2", [], { rank: "global" }),
    ]);
    expect(chain.participants.map(({ name }) => name)).toEqual(["i1", "i2", "g1", "g2", "w1", "w2"]);
  });

  it.each(["interceptor", "global"] as const)("asks no workspace hook once %s has denied", (rank) => {
    // H34
    const guard = scriptedHook("guard", [deny()], { rank });
    const own = scriptedHook("own", [allow]);
    expect((chainOf([own, guard]).before() as HookOutcome).decision).toBe("deny");
    expect(own.requests).toHaveLength(0);
  });

  it("neither throws nor rejects, whatever goes wrong", async () => {
    // H35
    const refuse = (): never => {
      throw new Error("x");
    };
    const hostile = [
      { name: "throws", intercept: refuse },
      { name: "rejects", intercept: () => Promise.reject(new Error("x")) },
      {
        name: "bad then",
        intercept: () => new Proxy({}, { get: refuse }) as never,
      },
      {
        name: "bad decision",
        intercept: () => Object.defineProperty({}, "decision", { get: refuse }) as never,
      },
    ];
    const reports = vi.fn(() => {
      throw new Error("the reporter fails too");
    });
    for (const participant of hostile) {
      const chain = createHookChain({ workspace: "/w", participants: [participant], report: reports });
      expect((await chain.beforeCall(sampleCall())).decision).toBe("deny");
    }
    const { chain } = chainOf([
      scriptedHook("g", [allow, allow], { events: ["post_tool_use", "pre_tool_use"] }),
    ]);
    expect((await chain.beforeCall({ ...sampleCall(), inputJson: 7 as never })).decision).toBe("deny");
    const result = { output: 1n as never, isError: false };
    expect((await chain.afterCall(sampleCall(), result)).decision).toBe("deny");
    expect(reports).toHaveBeenCalledTimes(4);
  });

  it("refuses a participant that could never guard anything", () => {
    for (const broken of [
      { name: "", intercept: () => allow },
      { name: "x" },
      { name: "x", intercept: () => allow, events: ["pre"] },
      { name: "x", intercept: () => allow, timeoutMs: 0 },
      { name: "x", intercept: () => allow, kind: "hook", rank: "root" },
    ]) {
      expect(() => chainOf([broken as never])).toThrow(HookError);
    }
  });

  it("refuses to be made without a list of participants: nothing would be guarded", () => {
    for (const options of [undefined, {}, { participants: {} }])
      expect(() => createHookChain(options as never)).toThrow("a chain needs `participants`: a list");
  });
});
