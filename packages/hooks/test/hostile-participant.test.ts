import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHookChain, type HookChainOptions, type Interceptor } from "../src/index.ts";
import { sampleCall } from "../src/testing/index.ts";

const allow = { decision: "allow" } as const;
const unanswered = (why: string) => ({
  decision: "deny",
  reason: `interceptor 'g' could not answer and denies on failure: ${why}`,
});
const UNREADABLE = "threw something that cannot be read";

/** An object that cannot even be looked at. */
const trap = (): never => {
  throw new Error("trap");
};
const untouchable = (): object => new Proxy({}, { get: trap, getPrototypeOf: trap, has: trap });
const unreadable = (): Error => Object.defineProperty(new Error("x"), "message", { get: trap });

const chainOf = (intercept: Interceptor["intercept"], options: Partial<HookChainOptions> = {}) =>
  createHookChain({
    workspace: "/w",
    participants: [{ name: "g", timeoutMs: Infinity, events: ["pre_tool_use", "post_tool_use"], intercept }],
    report: () => undefined,
    ...options,
  });

/** What nobody handled while a test ran: in a host it would have ended the process. */
const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
const settled = (): Promise<void> => new Promise((done) => void setImmediate(done));
const nothingUnhandled = async (): Promise<void> => {
  await settled();
  expect(unhandled.splice(0)).toEqual([]);
};
beforeEach(() => void process.on("unhandledRejection", note));
afterEach(() => void process.off("unhandledRejection", note));

describe("what a participant throws cannot be looked at", () => {
  it.each([
    ["an object that traps every access", untouchable],
    ["an error whose message throws", unreadable],
  ])("%s: the call is denied, thrown or rejected, and nothing is left hanging", async (_what, make) => {
    const sync = chainOf(() => {
      throw make();
    });
    expect(sync.beforeCall(sampleCall())).toEqual(unanswered(UNREADABLE));
    const rejecting = chainOf(async () => {
      await settled();
      throw make();
    });
    expect(await rejecting.beforeCall(sampleCall())).toEqual(unanswered(UNREADABLE));
    expect(rejecting.trail[0]?.asked[0]?.failure?.code).toBe("threw");
    await nothingUnhandled();
  });

  it("denies by name when a promise cannot be awaited, and lets go of the turn's signal", async () => {
    const turn = new AbortController();
    const promise = (): Promise<typeof allow> =>
      Object.defineProperty(Promise.resolve(allow), "constructor", { get: trap });
    const chain = chainOf((_request, { signal }) => (signal.throwIfAborted(), promise()));
    expect(await chain.beforeCall(sampleCall(), { signal: turn.signal })).toEqual(
      unanswered("threw an error"),
    );
    expect(chain.trail[0]?.asked).toHaveLength(1);
    expect(getEventListeners(turn.signal, "abort")).toHaveLength(0);
    await nothingUnhandled();
  });
});

describe("whoever listens to a chain fails", () => {
  it.each([
    ["throws what has no text", () => trapText()],
    ["rejects", () => Promise.reject(new Error("late"))],
  ])("onTrail %s: the outcome stands", async (_how, onTrail) => {
    const chain = chainOf(() => allow, { onTrail });
    expect(chain.beforeCall(sampleCall())).toEqual(allow);
    await nothingUnhandled();
  });

  it("a reporter rejects: the denial stands", async () => {
    const report = (): void => Promise.reject(new Error("late")) as never;
    const chain = chainOf(() => trap(), { report });
    expect(chain.beforeCall(sampleCall())).toEqual(unanswered("threw an error"));
    await nothingUnhandled();
  });
});

function trapText(): never {
  throw Object.create(null);
}

describe("a call that is no call", () => {
  it.each([
    ["null", null],
    ["an object that traps every access", untouchable()],
    ["one without input text", { ...sampleCall(), inputJson: undefined }],
    ["one with its input parsed", { ...sampleCall(), inputJson: {} }],
    ["one without a tool's name", { ...sampleCall(), toolName: undefined }],
  ])("is denied: %s", (_what, call) => {
    const chain = chainOf(() => allow);
    const refused = { decision: "deny", reason: "denied by the hook chain: it could not ask" };
    expect(chain.beforeCall(call as never)).toEqual(refused);
    expect(chain.afterCall(call as never, { output: 1, isError: false })).toEqual(refused);
    expect(chain.beforeCall(sampleCall())).toEqual(allow);
  });

  it("is denied and named, also where no filter matches what it lacks", () => {
    const reports: string[] = [];
    const guard = { name: "guard", tools: ["run"], intercept: () => allow };
    const chain = createHookChain({
      workspace: "/w",
      participants: [guard],
      report: (message) => reports.push(message),
    });
    const { toolName, inputJson, ...rest } = sampleCall({ toolName: "run" });
    const refused = { decision: "deny", reason: "denied by the hook chain: it could not ask" };
    expect(chain.beforeCall({ ...rest, name: toolName, inputJson } as never)).toEqual(refused);
    expect(chain.beforeCall({ ...rest, toolName, input: inputJson } as never)).toEqual(refused);
    const named = "the hook chain could not ask: TypeError: toolName or inputJson is no text";
    expect(reports).toEqual([named, named]);
    expect(chain.beforeCall({ ...rest, toolName, inputJson })).toEqual(allow);
  });

  it("is denied when there is no result to ask about", () => {
    const seen: string[] = [];
    const chain = chainOf((request) => (seen.push(request.event), allow));
    expect(chain.afterCall(sampleCall(), undefined as never)).toMatchObject({ decision: "deny" });
    expect(chain.afterCall(sampleCall(), { output: 1, isError: false })).toEqual(allow);
    expect(seen).toEqual(["post_tool_use"]);
  });
});

describe("a turn that is aborted while a participant answers", () => {
  it.each([
    ["at once", (turn: AbortController) => (turn.abort(), allow)],
    ["within a microtask", async (turn: AbortController) => (turn.abort(), allow)],
  ])("%s is denied although the participant allows", async (_when, answer) => {
    const turn = new AbortController();
    const chain = chainOf(() => answer(turn));
    const why = "was cut off because the turn was aborted";
    expect(await chain.beforeCall(sampleCall(), { signal: turn.signal })).toEqual(unanswered(why));
  });
});
