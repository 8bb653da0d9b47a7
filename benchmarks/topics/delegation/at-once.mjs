import { own } from "../../harness/places.mjs";
import { contextOf, toolsOf } from "./scene.mjs";

const soon = () => new Promise((done) => void setImmediate(done));

/** So many delegations at once, of which so many run and the others wait: policy, place, a round that a script answers, end. */
async function opened({ atOnce, running }) {
  const { createDelegationLimits, resolveChild, ChildSpec } = await own(
    "packages/child-policy/dist/index.js",
  );
  const tools = toolsOf(10);
  const context = contextOf(tools);
  const parent = { tools, hidden: [], model: context.parentModel };
  const policy = () => ChildSpec.inherit();
  const limits = createDelegationLimits({ maxConcurrent: running, whenFull: "wait", maxPerRun: Infinity });
  let number = 0;
  const delegate = async () => {
    const plan = await resolveChild({ policy, context, parent });
    const entry = { runId: "run", parentAgentId: "main", childAgentId: `child-${(number += 1)}` };
    const round = async () => {
      const tokens = limits.tokens("run").reserve(100);
      await soon();
      tokens.settle(90);
      return plan.digest;
    };
    return limits.withChild(entry, round);
  };
  const wave = () => Promise.all(Array.from({ length: atOnce }, delegate));
  return { wave, limits };
}

const THOUSAND = 1000;

/** A thousand delegations, in waves of so many; with `growth` the bytes of heap that one of them leaves behind. */
export async function open({ growth = false, ...variant }) {
  const { wave, limits } = await opened(variant);
  const thousand = async () => {
    for (let done = 0; done < THOUSAND; done += variant.atOnce) await wave();
  };
  if (!growth)
    return {
      async run(count) {
        for (let at = 0; at < count; at += 1) await thousand();
      },
    };
  const heap = () => (globalThis.gc(), process.memoryUsage().heapUsed);
  return {
    async once() {
      for (let warm = 0; warm < 5; warm += 1) await thousand();
      const before = heap();
      const times = 20;
      for (let at = 0; at < times; at += 1) await thousand();
      if (limits.active().length > 0) throw new Error("children are left");
      return Math.max(0, heap() - before) / (times * THOUSAND);
    },
  };
}
