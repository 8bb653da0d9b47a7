import { manualClock } from "@basis/core/testing";
import { afterEach, describe, expect, it } from "vitest";
import {
  createHookChain,
  shadow,
  type HookAnswer,
  type Interceptor,
  type Participant,
} from "../src/index.ts";
import { recordingInterceptor, sampleCall, scriptedHook } from "../src/testing/index.ts";

const allow = { decision: "allow" } as const;
const broken = (why: string) => ({
  decision: "deny",
  reason: `interceptor 'g' could not answer and denies on failure: ${why}`,
});
const chainOf = (participants: readonly Participant[], clock = manualClock()) => {
  const reports: string[] = [];
  const report = (message: string) => void reports.push(message);
  return { chain: createHookChain({ workspace: "/w", participants, clock, report }), clock, reports };
};
const ask = (intercept: Interceptor["intercept"]) => {
  const { chain, reports } = chainOf([{ name: "g", intercept }]);
  return { outcome: chain.beforeCall(sampleCall()), reports };
};
const turns = async (count = 10) => {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
};
const released: (() => void)[] = [];
afterEach(() => released.splice(0).forEach((release) => release()));
const never = () => new Promise<HookAnswer>((resolve) => released.push(() => resolve(allow)));

describe("an interceptor that cannot answer", () => {
  it("denies when it rejects, without its error's words in the reason", async () => {
    // H36, S40
    const { outcome, reports } = ask(() => Promise.reject(new Error("token=abc")));
    expect(await outcome).toEqual(broken("threw an error"));
    expect(reports).toEqual(["interceptor 'g' threw an error: token=abc"]);
  });

  it.each([
    ["a text", "boom", "threw string: boom"],
    ["undefined", undefined, "threw undefined: undefined"],
    ["null", null, "threw object: null"],
    ["an object that has no text", Object.create(null), "threw object"],
  ])("denies when it throws %s", (_what, thrown, said) => {
    // H37
    const { outcome, reports } = ask(() => {
      throw thrown;
    });
    expect(outcome).toEqual(broken("threw something that is not an error"));
    expect(reports).toEqual([`interceptor 'g' ${said}`]);
  });

  it.each([
    ["undefined", undefined],
    ["null", null],
    ["a text", "allow"],
    ["true", true],
    ["an empty object", {}],
    ["an unknown decision", { decision: "ask" }],
    ["a modify without an object", { decision: "modify", input: "ls" }],
    ["a modify that is not JSON", { decision: "modify", input: { run: () => 1 } }],
  ])("denies when it answers %s", (_what, answer) => {
    // H42
    const { outcome, reports } = ask(() => answer as never);
    expect(outcome).toMatchObject({
      reason: expect.stringContaining("answered something that is not a decision"),
    });
    expect(reports).toHaveLength(1);
    expect(ask(() => allow).outcome).toEqual(allow);
  });

  it("denies at its deadline, tells it so, and ignores what it says later", async () => {
    // H41
    let seen: AbortSignal | undefined;
    const slow: Interceptor = {
      name: "g",
      timeoutMs: 300,
      intercept: (_request, { signal }) => ((seen = signal), never()),
    };
    const { chain, clock, reports } = chainOf([slow]);
    const outcome = chain.beforeCall(sampleCall());
    await turns();
    clock.advance(299);
    expect(seen?.aborted).toBe(false);
    clock.advance(1);
    expect(await outcome).toEqual(broken("did not answer within 300ms"));
    expect(seen?.aborted).toBe(true);
    released.splice(0).forEach((release) => release());
    await turns();
    expect(reports).toHaveLength(1);
    expect(chain.trail).toHaveLength(1);
  });

  it("has 5,000 ms unless it says otherwise", async () => {
    const { chain, clock } = chainOf([{ name: "g", intercept: never }]);
    const outcome = chain.beforeCall(sampleCall());
    await turns();
    clock.advance(5000);
    expect(await outcome).toEqual(broken("did not answer within 5000ms"));
  });

  it("denies when it blocked the thread past its deadline, synchronously or not", async () => {
    // S39
    const clock = manualClock();
    const blocking = { name: "g", timeoutMs: 100, intercept: () => (clock.advance(101), allow) };
    const late = broken("did not answer within 100ms");
    expect(chainOf([blocking], clock).chain.beforeCall(sampleCall())).toEqual(late);
    const async = { ...blocking, intercept: async () => (clock.advance(101), allow) };
    expect(await chainOf([async], clock).chain.beforeCall(sampleCall())).toEqual(late);
    const quick = { ...blocking, intercept: () => (clock.advance(100), allow) };
    expect(chainOf([quick], clock).chain.beforeCall(sampleCall())).toEqual(allow);
  });

  it("denies when the turn is aborted, before or while it is asked", async () => {
    // H41
    const turn = new AbortController();
    const later = recordingInterceptor("later");
    const { chain } = chainOf([{ name: "g", intercept: never }, later]);
    const outcome = chain.beforeCall(sampleCall(), { signal: turn.signal });
    await turns();
    turn.abort();
    const words = broken("was cut off because the turn was aborted");
    expect(await outcome).toEqual(words);
    expect(chain.beforeCall(sampleCall(), { signal: turn.signal })).toEqual(words);
    expect(later.asked).toHaveLength(0);
  });

  it("is cut off by close, after which every call is denied", async () => {
    const { chain } = chainOf([{ name: "g", intercept: never }]);
    const outcome = chain.beforeCall(sampleCall());
    await turns();
    await chain.close();
    expect(await outcome).toMatchObject({ decision: "deny" });
    const denial = { decision: "deny", reason: "denied by the hook chain: it is closed" };
    expect(chain.beforeCall(sampleCall())).toEqual(denial);
    const empty = chainOf([]).chain;
    await empty[Symbol.asyncDispose]();
    expect(empty.afterCall(sampleCall(), { output: "", isError: false })).toEqual(denial);
  });
});

describe("an interceptor", () => {
  it("allows after the call unless it has a review", () => {
    // H38
    const result = { output: "x", isError: false };
    const plain = { name: "g", intercept: () => ({ decision: "deny" }) as const };
    expect(chainOf([plain]).chain.afterCall(sampleCall(), result)).toEqual(allow);
    const reviewing = { ...plain, review: () => ({ decision: "deny", reason: "leak" }) as const };
    expect(chainOf([reviewing]).chain.afterCall(sampleCall(), result)).toMatchObject({
      reason: "denied by interceptor 'g': leak",
    });
  });

  it("answers after the call by intercept when it asks for that event and has no review", () => {
    const asked = scriptedHook("g", [{ decision: "replace", output: "y" }], { events: ["post_tool_use"] });
    const { chain } = chainOf([
      { name: "g", events: ["post_tool_use"], intercept: (...args) => asked.intercept(...args) },
    ]);
    expect(chain.beforeCall(sampleCall())).toEqual(allow);
    expect(chain.afterCall(sampleCall(), { output: "x", isError: false })).toMatchObject({ output: "y" });
  });

  it("keeps both methods and its own `this` when it is wrapped", () => {
    // H39
    class Guard implements Interceptor {
      readonly name = "g";
      readonly calls: string[] = [];
      intercept(): HookAnswer {
        this.calls.push("intercept");
        return { decision: "deny" };
      }
      review(): HookAnswer {
        this.calls.push("review");
        return { decision: "deny" };
      }
    }
    for (const wrap of [shadow, (inner: Interceptor) => recordingInterceptor("r", inner)]) {
      const guard = new Guard();
      const { chain } = chainOf([wrap(guard)]);
      void chain.beforeCall(sampleCall());
      void chain.afterCall(sampleCall(), { output: "", isError: false });
      expect(guard.calls).toEqual(["intercept", "review"]);
    }
    expect(shadow({ name: "g", intercept: () => allow })).not.toHaveProperty("review");
  });

  it("may wait for something while other work goes on", async () => {
    // H40
    const order: string[] = [];
    const { chain } = chainOf([
      {
        name: "g",
        intercept: () => new Promise((resolve) => setImmediate(() => (order.push("answer"), resolve(allow)))),
      },
    ]);
    const outcome = chain.beforeCall(sampleCall());
    await turns();
    order.push("other work");
    expect(await outcome).toEqual(allow);
    expect(order).toEqual(["other work", "answer"]);
  });

  it("cannot change the request that others see, nor its answer after giving it", async () => {
    // H43
    const answer = { decision: "modify" as const, input: { command: "safe", list: [1] } };
    const meddler: Interceptor = {
      name: "g",
      intercept: (request) => {
        expect(() => Object.assign(request.input as object, { command: "rm" })).toThrow(TypeError);
        expect(() => Object.assign(request, { toolName: "other" })).toThrow(TypeError);
        return answer;
      },
    };
    const later = recordingInterceptor("later");
    const outcome = chainOf([meddler, later]).chain.beforeCall(sampleCall());
    answer.input.command = "rm";
    answer.input.list.push(2);
    expect(await outcome).toMatchObject({ input: { command: "safe", list: [1] } });
    expect(later.asked[0]?.request).toMatchObject({ toolName: "run", input: { command: "safe", list: [1] } });
    const mutable = { ...meddler, tools: ["run"] };
    const { chain } = chainOf([mutable]);
    mutable.tools.pop();
    expect(await chain.beforeCall(sampleCall())).toMatchObject({ decision: "modify" });
  });
});
