import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import {
  ChildSpec,
  ToolRoster,
  createDelegationLimits,
  resolveChild,
  type ChildPlan,
  type DelegationLimits,
} from "../src/index.ts";
import { context, parent } from "./fixtures.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const MANY = 1000;
const tick = (): Promise<void> => new Promise((done) => void setImmediate(done));
const ends = ["success", "failure", "throw", "abort", "refusal"] as const;
type End = (typeof ends)[number];

interface Started {
  readonly plan: ChildPlan;
  readonly end: End;
  readonly turn: AbortController;
}

/** A delegation from its policy to its end. What it held is noted in `held`, weakly. */
async function delegate(limits: DelegationLimits, at: number, scene: Scene): Promise<End> {
  const end = ends[at % ends.length]!;
  const turn = new AbortController();
  const plan = await resolveChild({
    policy: () =>
      end === "refusal"
        ? { refuse: "not this one" }
        : ChildSpec.inherit()
            .withSystem(`number ${at}`)
            .withRoster(ToolRoster.only(["read"])),
    context,
    parent,
    signal: scene.run.signal,
  });
  const started: Started = { plan, end, turn };
  scene.held.push(new WeakRef(started), new WeakRef(plan), new WeakRef(turn.signal));
  const entry = { runId: "run", parentAgentId: "root", childAgentId: `child-${at}` };
  return limits.withChild(entry, () => work(limits, started, scene), { signal: turn.signal });
}

/** A child's one round, which begins when all have their place, or no more can have one. */
async function work(limits: DelegationLimits, { plan, end, turn }: Started, scene: Scene): Promise<End> {
  const tokens = limits.tokens("run").reserve(10);
  scene.most = Math.max(scene.most, limits.active().length);
  await tick();
  if (end === "abort") turn.abort(new Error("abort"));
  if (end === "success") tokens.settle(7);
  else tokens.refund();
  turn.signal.throwIfAborted();
  if (end === "failure") return Promise.reject(new Error(end));
  if (end === "throw") throw new Error(end);
  return plan.system === undefined ? "failure" : end;
}

interface Scene {
  readonly run: AbortController;
  readonly held: WeakRef<object>[];
  most: number;
}

const outcomeOf = (settled: PromiseSettledResult<End>): string =>
  settled.status === "fulfilled" ? settled.value : (settled.reason as Error).message;

// L1, C27
describe.each([
  { maxConcurrent: MANY, whenFull: "refuse" as const },
  { maxConcurrent: 50, whenFull: "wait" as const },
])("a thousand delegations at once, $maxConcurrent of them running", ({ maxConcurrent, whenFull }) => {
  it("leave nothing behind: no place, no tokens, no listener, nothing that was theirs", async () => {
    const limits = createDelegationLimits({ maxConcurrent, whenFull, maxPerRun: Infinity, maxTokens: 1e9 });
    const scene: Scene = { run: new AbortController(), held: [], most: 0 };
    for (let wave = 0; wave < 2; wave += 1) {
      const all = Array.from({ length: MANY }, (_, at) => delegate(limits, at, scene));
      const outcomes = (await Promise.allSettled(all)).map(outcomeOf);
      const counts = ends.map((end) => outcomes.filter((one) => one.endsWith(end)).length);
      expect(counts).toEqual([200, 200, 200, 200, 0]);
      expect(outcomes.filter((one) => one.includes("not this one"))).toHaveLength(200);
      expect(limits.active()).toEqual([]);
    }
    expect(scene.most).toBe(Math.min(maxConcurrent, 800));
    expect(limits.tokens("run")).toMatchObject({ reserved: 0, used: 2 * 200 * 7 });
    expect(limits.remaining({ runId: "run", parentAgentId: "root" })).toMatchObject({
      concurrent: maxConcurrent,
    });
    expect(getEventListeners(scene.run.signal, "abort")).toEqual([]);
    limits.closeRun("run");
    expect(limits.tokens("run").used).toBe(0);
    await tick();
    collect();
    expect(scene.held).toHaveLength(2 * 800 * 3);
    // The engine itself may keep the last one for a while.
    expect(scene.held.filter((ref) => ref.deref() !== undefined).length).toBeLessThan(10);
  });
});
