import { digestJson } from "@basis/core";
import { manualClock } from "@basis/core/testing";
import { describe, expect, it } from "vitest";
import { createHookChain, type CallRecord, type HookChainOptions, type Participant } from "../src/index.ts";
import { sampleCall, scriptedHook, scriptedInterceptor } from "../src/testing/index.ts";

const allow = { decision: "allow" } as const;
const chainOf = (participants: readonly Participant[], options: Partial<HookChainOptions> = {}) =>
  createHookChain({ workspace: "/w", participants, report: () => undefined, ...options });

describe("the trail", () => {
  it("says what each participant answered, how long it took, and who was not asked", () => {
    const clock = manualClock();
    const chain = chainOf(
      [
        { name: "i", intercept: () => (clock.advance(7), allow) },
        scriptedHook("off", [], { tools: ["write"] }),
        scriptedHook("elsewhere", [], { input: { "/path": "*" } }),
        scriptedHook("open", [new Error("said this")], { onFailure: "allow" }),
        scriptedHook("no", [{ decision: "deny", reason: "why" }]),
        scriptedHook("late", [allow]),
      ],
      { clock },
    );
    void chain.beforeCall(sampleCall());
    expect(chain.trail).toHaveLength(1);
    const [record] = chain.trail;
    expect(record).toMatchObject({
      toolCallId: "call-1",
      event: "pre_tool_use",
      agentId: "agent-1",
      toolName: "run",
      decision: "deny",
      reason: "denied by hook 'no': why",
      ms: 7,
    });
    expect(record?.asked).toMatchObject([
      { who: "interceptor 'i'", kind: "interceptor", rank: "interceptor", decision: "allow", ms: 7 },
      {
        who: "hook 'open'",
        decision: "broken",
        failure: { code: "threw", message: "threw an error", detail: "threw an error: said this" },
      },
      { who: "hook 'no'", rank: "workspace", decision: "deny", reason: "why", mode: "decide", shadow: false },
    ]);
    expect(record?.notAsked).toEqual([
      { who: "hook 'off'", name: "off", why: "filtered" },
      { who: "hook 'elsewhere'", name: "elsewhere", why: "filtered" },
      { who: "hook 'late'", name: "late", why: "ended" },
    ]);
  });

  it("holds the digests of what was found and left, for those who changed something", () => {
    // D7
    const chain = chainOf([
      scriptedInterceptor("i", [allow, allow]),
      scriptedHook("m", [{ decision: "modify", input: { command: "x" }, reason: "r" }]),
    ]);
    void chain.beforeCall(sampleCall());
    const [first, second, third] = chain.trail[0]!.asked;
    expect(first).not.toHaveProperty("digestBefore");
    expect(second).toMatchObject({
      decision: "modify",
      reason: "r",
      digestBefore: digestJson({ command: "ls" }),
      digestAfter: digestJson({ command: "x" }),
    });
    expect(third).toMatchObject({ name: "i", mode: "recheck", decision: "allow" });
    expect(JSON.parse(JSON.stringify(second))).toHaveProperty("digestAfter", digestJson({ command: "x" }));
    expect(second!.inputAfter).toEqual({ command: "x" });
    expect(JSON.stringify(second)).not.toContain("inputAfter");
  });

  it("digests a replaced output, and a text that has no canonical form", () => {
    const lone = "\uD800";
    const chain = chainOf([
      scriptedHook("r", [{ decision: "replace", output: lone }], { events: ["post_tool_use"] }),
    ]);
    void chain.afterCall(sampleCall(), { output: { a: 1 }, isError: false });
    const [entry] = chain.trail[0]!.asked;
    expect(entry?.digestBefore).toBe(digestJson({ a: 1 }));
    expect(entry?.digestAfter).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it("notes what a shadow participant answers, and enforces none of it", () => {
    const shadows = [
      scriptedHook("deny", [{ decision: "deny", reason: "would" }], { shadow: true }),
      scriptedHook("modify", [{ decision: "modify", input: {} }], { shadow: true }),
      scriptedHook("broken", [new Error("x")], { shadow: true }),
    ];
    const last = scriptedHook("last", [allow]);
    const chain = chainOf([...shadows, last]);
    expect(chain.beforeCall(sampleCall())).toEqual(allow);
    expect(last.requests[0]?.input).toEqual({ command: "ls" });
    expect(chain.trail[0]?.asked.map(({ shadow, decision }) => [shadow, decision])).toEqual([
      [true, "deny"],
      [true, "modify"],
      [true, "broken"],
      [false, "allow"],
    ]);
  });

  it("tells an allow that nobody gave from one that somebody gave", () => {
    const chain = chainOf([scriptedHook("off", [], { tools: [] })]);
    void chain.beforeCall(sampleCall());
    expect(chain.trail[0]).toMatchObject({ decision: "allow", asked: [], notAsked: [{ name: "off" }] });
  });

  it("remembers the last calls only, oldest first", () => {
    const guard = { name: "g", intercept: () => allow };
    const chain = chainOf([guard], { trailSize: 3 });
    for (let n = 0; n < 10; n += 1) void chain.beforeCall(sampleCall({ toolCallId: `c${n}` }));
    expect(chain.trail.map(({ toolCallId }) => toolCallId)).toEqual(["c7", "c8", "c9"]);
    const none = chainOf([guard], { trailSize: 0 });
    void none.beforeCall(sampleCall());
    expect(none.trail).toEqual([]);
  });

  it("hands each record to onTrail, and outlives one that throws", async () => {
    const records: CallRecord[] = [];
    const guard = { name: "g", intercept: async () => allow };
    const chain = chainOf([guard], { onTrail: (record) => records.push(record) });
    await chain.beforeCall(sampleCall());
    expect(records).toEqual(chain.trail);
    expect(Object.isFrozen(records[0])).toBe(true);
    const reports: string[] = [];
    const hostile = chainOf([guard], {
      onTrail: () => {
        throw new Error("full");
      },
      report: (message) => reports.push(message),
    });
    expect(await hostile.beforeCall(sampleCall())).toEqual(allow);
    expect(reports).toEqual(["onTrail threw an error: Error: full"]);
  });
});

describe("a record that is kept", () => {
  const guards: readonly Participant[] = [
    { name: "i", intercept: async () => allow },
    scriptedHook("off", [], { tools: ["write"] }),
    scriptedHook(
      "m",
      Array.from({ length: 5000 }, () => ({ decision: "modify", input: { command: "x" } })),
    ),
  ];

  it("is complete when it is read after the chain went on, though the trail has forgotten it", async () => {
    const records: CallRecord[] = [];
    const chain = chainOf(guards, { trailSize: 0, onTrail: (record) => records.push(record) });
    for (let n = 0; n < 1000; n += 1) await chain.beforeCall(sampleCall({ toolCallId: `c${n}` }));
    await chain.close();
    expect(chain.trail).toEqual([]);
    expect(new Set(records).size).toBe(1000);
    const [first] = records;
    expect(first).toMatchObject({ toolCallId: "c0", decision: "modify", reason: "hook 'm'" });
    expect(first?.asked.map(({ name, mode }) => `${name} ${mode}`)).toEqual([
      "i decide",
      "m decide",
      "i recheck",
    ]);
    expect(first?.notAsked).toEqual([{ who: "hook 'off'", name: "off", why: "filtered" }]);
    expect(first?.asked[1]?.digestAfter).toBe(digestJson({ command: "x" }));
  });

  it("is plain frozen data: it can be cloned, written as JSON and spread, and loses nothing", async () => {
    const records: CallRecord[] = [];
    await chainOf(guards, { onTrail: (record) => records.push(record) }).beforeCall(sampleCall());
    const [record] = records;
    expect(structuredClone(record)).toEqual(record);
    expect(JSON.parse(JSON.stringify(record))).toMatchObject({
      asked: [{}, { digestBefore: digestJson({ command: "ls" }) }, {}],
      notAsked: [{}],
    });
    expect({ ...record }).toEqual(record);
    const parts = [
      record,
      record?.asked,
      record?.notAsked,
      ...(record?.asked ?? []),
      ...(record?.notAsked ?? []),
    ];
    expect(parts.every(Object.isFrozen)).toBe(true);
  });
});

describe("a report", () => {
  it("comes with what it is about", () => {
    // H74
    const reports: unknown[] = [];
    const chain = chainOf([scriptedHook("g", [new Error("x")])], {
      report: (...args) => reports.push(args),
    });
    void chain.beforeCall(sampleCall());
    const failure = { code: "threw", message: "threw an error", detail: "threw an error: x" };
    expect(reports).toEqual([
      [
        "hook 'g' threw an error: x",
        { kind: "failure", who: "hook 'g'", event: "pre_tool_use", toolCallId: "call-1", failure },
      ],
    ]);
  });
});

describe("a chain's limits, left out", () => {
  it("are a hundred records and eight MiB of input or result", () => {
    const chain = chainOf([{ name: "g", events: ["pre_tool_use", "post_tool_use"], intercept: () => allow }]);
    for (let count = 0; count < 150; count += 1) void chain.beforeCall(sampleCall());
    expect(chain.trail).toHaveLength(100);
    const text = (bytes: number) => `"${"x".repeat(bytes - 2)}"`;
    const limit = 8 * 1024 * 1024;
    const tooLarge = { decision: "deny", reason: expect.stringContaining("larger than") };
    expect(chain.beforeCall({ ...sampleCall(), inputJson: text(limit) })).toEqual(allow);
    expect(chain.beforeCall({ ...sampleCall(), inputJson: text(limit + 1) })).toEqual(tooLarge);
    const output = "x".repeat(limit);
    expect(chain.afterCall(sampleCall(), { output, isError: false })).toEqual(allow);
    expect(chain.afterCall(sampleCall(), { output: `${output}x`, isError: false })).toEqual(tooLarge);
  });
});
