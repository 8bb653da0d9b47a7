import { manualClock, type ManualClock } from "@basis/core/testing";
import { describe, expect, it } from "vitest";
import {
  createHookChain,
  type HookEvent,
  type HookOutcome,
  type HookReport,
  type Participant,
} from "../../src/index.ts";
import { sampleCall } from "../../src/testing/index.ts";
import { CANARY } from "./broken-guard.ts";
import { DEADLINE_MS, WAYS_IN_PROCESS, type BrokenParticipant } from "./ways-in-process.ts";

const EVENTS = ["pre_tool_use", "post_tool_use"] as const;
const BINDINGS = ["interceptor", "hook that denies on failure", "hook that allows on failure"] as const;
type Binding = (typeof BINDINGS)[number];

interface Cell {
  readonly event: HookEvent;
  readonly position: number;
  readonly binding: Binding;
  /** Whether the two others answer at once or later. */
  readonly allies: "sync" | "async";
}

const CELLS: readonly Cell[] = EVENTS.flatMap((event) =>
  [0, 1, 2].flatMap((position) =>
    BINDINGS.flatMap((binding) =>
      (["sync", "async"] as const).map((allies) => ({ event, position, binding, allies })),
    ),
  ),
);

/** All that a model may read of a guard inside the host that could not answer. */
const WORDS =
  /^(threw an error|threw something that (is not an error|cannot be read)|did not answer within 300ms|answered something that is not a decision \((it is not an object|it cannot be read|decision is missing|unknown decision|modify needs a JSON object as its input|replace needs an output|isError is not a boolean|nested deeper than 256 levels|a (bigint|function|number) is not JSON|an instance of a class is not JSON|the key __proto__ is not accepted)\)|answered (replace to pre_tool_use, where only allow, deny and modify|modify to post_tool_use, where only allow, deny and replace) are answers)$/;

/** Bound as an interceptor, or as a hook, whose neighbours are then hooks as well. */
function bound(cell: Cell, name: string, intercept: Participant["intercept"]): Participant {
  const events = [cell.event];
  if (cell.binding === "interceptor") return { name, events, timeoutMs: DEADLINE_MS, intercept };
  const onFailure = cell.binding === "hook that allows on failure" ? "allow" : "deny";
  return { kind: "hook", rank: "workspace", name, events, timeoutMs: DEADLINE_MS, onFailure, intercept };
}

async function ask(way: BrokenParticipant, cell: Cell, doing: "break" | "behave") {
  const clock = manualClock();
  const reports: { message: string; about: HookReport }[] = [];
  const allow = { decision: "allow" } as const;
  const ally = bound(cell, "ally", () => (cell.allies === "sync" ? allow : Promise.resolve(allow)));
  const guard = bound(cell, "broken", (request, context) =>
    doing === "behave" ? allow : (way.breaks(request, clock, context) as never),
  );
  const chain = createHookChain({
    workspace: "/w",
    participants: [0, 1, 2].map((at) => (at === cell.position ? guard : ally)),
    report: (message, about) => reports.push({ message, about }),
    clock,
  });
  const outcome = await settle(
    clock,
    cell.event === "pre_tool_use"
      ? chain.beforeCall(sampleCall())
      : chain.afterCall(sampleCall(), { output: "done", isError: false }),
  );
  return { outcome, reports, asked: chain.trail[0]?.asked ?? [] };
}

/** Lets the time pass for whoever waits for it. */
async function settle(clock: ManualClock, pending: HookOutcome | Promise<HookOutcome>): Promise<HookOutcome> {
  await new Promise((done) => void setImmediate(done));
  clock.advance(DEADLINE_MS);
  return pending;
}

describe("a guard inside the host that breaks denies by name, wherever it stands", () => {
  // H25, H26, H27, H36, H37, H41, H42, S39, S40
  it.each(WAYS_IN_PROCESS.map((way) => [way.name, way] as const))("%s", async (_name, way) => {
    for (const cell of CELLS) {
      const { outcome, reports, asked } = await ask(way, cell, "break");
      const failure = asked[cell.position]?.failure;
      const who = `${cell.binding === "interceptor" ? "interceptor" : "hook"} 'broken'`;
      expect(failure?.code).toBe(way.code);
      expect(failure?.message).toMatch(WORDS);
      const goesOn = cell.binding === "hook that allows on failure";
      const reason = `${who} could not answer and denies on failure: ${failure?.message}`;
      expect(outcome).toEqual(goesOn ? { decision: "allow" } : { decision: "deny", reason });
      expect(JSON.stringify(outcome)).not.toContain(CANARY);
      expect(asked).toHaveLength(goesOn ? 3 : cell.position + 1);
      expect(reports.map(({ message }) => message)).toEqual([`${who} ${failure?.detail}`]);
      const control = await ask(way, cell, "behave");
      expect(control).toMatchObject({ outcome: { decision: "allow" }, reports: [] });
      expect(control.asked.map(({ decision }) => decision)).toEqual(["allow", "allow", "allow"]);
    }
  });
});
