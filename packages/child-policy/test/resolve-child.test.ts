import { describe, expect, it } from "vitest";
import {
  ChildSpec,
  resolveChild,
  ToolRoster,
  type ModelDirectory,
  type ResolveChildOptions,
} from "../src/index.ts";
import { manualClock } from "@basis/core/testing";
import { context, never, parent, recording } from "./fixtures.ts";

const resolve = (options: Partial<ResolveChildOptions>) => resolveChild({ context, parent, ...options });
const small = { provider: "openai", id: "small" };
const smallChild = ChildSpec.inherit().withModel(small);

describe("resolveChild", () => {
  // C1
  it("without a policy plans the same as a policy that inherits", async () => {
    const [none, inherited] = await Promise.all([
      resolve({}),
      resolve({ policy: () => ChildSpec.inherit() }),
    ]);
    expect(none.preview()).toBeUndefined();
    expect(none.digest).toBe(inherited.digest);
  });

  // C2, C3, C24
  it("asks the policy once, with the facts of this delegation at its depth", async () => {
    const { policy, asked } = recording(async () =>
      ChildSpec.inherit().withRoster(ToolRoster.only(["read"])),
    );
    const grandchild = { ...context, parentAgentId: "child-1", depth: 1, parentSystem: "You triage." };
    await resolve({ policy });
    const plan = await resolve({ policy, context: grandchild });
    plan.preview();
    expect(asked).toEqual([context, grandchild]);
    expect(Object.isFrozen(asked[0])).toBe(true);
  });

  it("passes the policy's refusal on with its reason", async () => {
    await expect(resolve({ policy: () => ({ refuse: "no delegation on Fridays" }) })).rejects.toThrow(
      expect.objectContaining({
        code: "policy_refused",
        message: "the child policy refused this delegation: no delegation on Fridays",
        details: { reason: "no delegation on Fridays" },
      }),
    );
  });

  // C25
  it.each<[string, () => unknown, string]>([
    [
      "throws",
      () => {
        throw new Error("db password is hunter2");
      },
      "threw",
    ],
    ["rejects with no error at all", () => Promise.reject(undefined), "threw"],
    ["answers nothing", () => undefined, "nonsense"],
    ["answers a look-alike", () => ({ roster: undefined, model: undefined }), "nonsense"],
    ["refuses without words of the right type", () => ({ refuse: true }), "nonsense"],
  ])("refuses when the policy %s, and never falls back to inheriting", async (_, policy, failure) => {
    const refused = resolve({ policy: policy as never });
    await expect(refused).rejects.toThrow(
      expect.objectContaining({ code: "policy_failed", details: { failure } }),
    );
    await expect(refused).rejects.not.toThrow(/hunter2/);
  });

  // C25
  it("refuses when the policy takes longer than five seconds", async () => {
    const clock = manualClock();
    let inner: AbortSignal | undefined;
    const policy = (_: unknown, { signal }: { signal: AbortSignal }): Promise<never> => {
      inner = signal;
      return never();
    };
    const refused = resolve({ policy, clock });
    clock.advance(4999);
    expect(inner?.aborted).toBe(false);
    clock.advance(1);
    await expect(refused).rejects.toThrow(
      expect.objectContaining({ code: "policy_failed", details: { failure: "timeout" } }),
    );
    expect(inner?.aborted).toBe(true);
  });

  it("ends with the turn, before and while the policy is asked", async () => {
    const turn = new AbortController();
    const asked = resolve({ policy: never, signal: turn.signal });
    turn.abort(new Error("turn over"));
    await expect(asked).rejects.toThrow("turn over");
    const { policy, asked: later } = recording(() => ChildSpec.inherit());
    await expect(resolve({ policy, signal: turn.signal })).rejects.toThrow("turn over");
    expect(later).toEqual([]);
  });

  it("measures the roster as the host chose", async () => {
    const policy = () => ChildSpec.inherit().withRoster(ToolRoster.only(["run"]));
    await expect(resolve({ policy, widen: "refuse" })).rejects.toThrow(
      expect.objectContaining({ code: "roster_wider" }),
    );
    expect((await resolve({ policy })).roster.allows("run")).toBe(true);
  });
});

describe("a child's model", () => {
  const directory = (windows: readonly unknown[]): ModelDirectory & { listings: number } => {
    const models = {
      listings: 0,
      isRegistered: (provider: string) => provider === "openai",
      contextWindow: () => {
        const answer = windows[models.listings] as number | undefined;
        models.listings += 1;
        if (windows[models.listings - 1] === "fails") throw new Error("listing down");
        return answer;
      },
    };
    return models;
  };

  // C22
  it("of an unregistered provider fails naming it", async () => {
    const policy = () => ChildSpec.inherit().withModel({ provider: "nowhere", id: "m" });
    await expect(resolve({ policy, models: directory([]) })).rejects.toThrow(
      expect.objectContaining({
        code: "unregistered_provider",
        message: expect.stringContaining("'nowhere'"),
        details: { provider: "nowhere", model: "m" },
      }),
    );
    expect((await resolve({ policy: () => smallChild, models: directory([]) })).model).toEqual(small);
  });

  // C21
  it("with a known window asks no listing", async () => {
    const models = directory([1]);
    const policy = () => ChildSpec.inherit().withModel({ ...small, contextWindow: 8000 });
    expect((await resolve({ policy, models })).model).toEqual({ ...small, contextWindow: 8000 });
    expect(models.listings).toBe(0);
  });

  it("without a window asks one listing, however many delegations ask at once", async () => {
    const models = directory([9000]);
    const plans = await Promise.all(
      Array.from({ length: 5 }, () => resolve({ policy: () => smallChild, models })),
    );
    expect(new Set(plans.map((plan) => plan.model?.contextWindow))).toEqual(new Set([9000]));
    expect(models.listings).toBe(1);
  });

  it.each([
    ["undefined", undefined],
    ["nonsense", -4],
    ["nothing", 0],
  ])("whose listing reports %s keeps an unknown window, and that is remembered", async (_, reported) => {
    const models = directory([reported]);
    for (const round of [1, 2]) {
      expect((await resolve({ policy: () => smallChild, models })).model, `round ${round}`).toEqual(small);
    }
    expect(models.listings).toBe(1);
  });

  it("whose listing fails keeps an unknown window, and is asked again next time", async () => {
    const models = directory(["fails", 9000]);
    expect((await resolve({ policy: () => smallChild, models })).model).toEqual(small);
    expect((await resolve({ policy: () => smallChild, models })).model?.contextWindow).toBe(9000);
  });

  it("does not lose a listing to the first asker's cancelled turn", async () => {
    const turn = new AbortController();
    let answer: (tokens: number) => void = () => undefined;
    const models: ModelDirectory = {
      isRegistered: () => true,
      contextWindow: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    };
    const first = resolve({ policy: () => smallChild, models, signal: turn.signal });
    const second = resolve({ policy: () => smallChild, models });
    await new Promise((done) => {
      setImmediate(done);
    });
    turn.abort(new Error("turn over"));
    answer(7000);
    await expect(first).rejects.toThrow("turn over");
    expect((await second).model?.contextWindow).toBe(7000);
  });
});
