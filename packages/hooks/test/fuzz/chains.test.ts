import { manualClock, type ManualClock } from "@basis/core/testing";
import { describe, expect, it } from "vitest";
import {
  createHookChain,
  type HookAnswer,
  type HookOutcome,
  type HookRequest,
  type Participant,
} from "../../src/index.ts";
import { sampleCall } from "../../src/testing/index.ts";
import { campaignSize, CAMPAIGN_TIMEOUT_MS, reproduction } from "./campaign-size.ts";
import { randomSchedule, type Deed, type Schedule, type Script } from "./chain-script.ts";
import { Random } from "./random.ts";
import { referenceFold, type ReferenceOutcome } from "./reference-fold.ts";

const { seed, from, runs } = campaignSize(10_000);
const DEADLINE_MS = 300;

/** A participant that follows its script. */
function participantOf(script: Script, turn: AbortController): Participant {
  const { kind, name, rank, events, tools, input, onFailure, shadow, isAsync, deeds } = script;
  const intercept = (request: HookRequest): HookAnswer | Promise<HookAnswer> => {
    const { n } = (request.event === "post_tool_use" ? request.output : request.input) as { n: number };
    const deed = deeds[n] ?? { does: "throw" };
    if (deed.does === "late") return new Promise(() => undefined);
    return isAsync ? Promise.resolve().then(() => answerOf(deed, turn)) : answerOf(deed, turn);
  };
  const common = { name, events, tools, shadow, timeoutMs: DEADLINE_MS, intercept };
  if (kind === "interceptor") return common;
  return { ...common, kind, rank, onFailure, input: input === undefined ? undefined : { "/n": input } };
}

function answerOf(deed: Deed, turn: AbortController): HookAnswer {
  switch (deed.does) {
    case "throw":
      throw new Error("thrown");
    case "abort":
      turn.abort();
      return { decision: "allow" };
    case "modify":
      return { decision: "modify", input: { n: deed.number }, reason: deed.reason };
    case "replace": {
      const { number, isError, reason } = deed;
      return { decision: "replace", output: { n: number }, isError, reason };
    }
    case "allow":
    case "deny":
      return { decision: deed.does, reason: deed.reason };
    default:
      return 7 as never;
  }
}

/** What the chain makes of a schedule, in the words of the reference. */
async function productFold(schedule: Schedule): Promise<ReferenceOutcome> {
  const clock = manualClock();
  const turn = new AbortController();
  const broken: string[] = [];
  const chain = createHookChain({
    workspace: "/w",
    participants: schedule.scripts.map((script) => participantOf(script, turn)),
    report: (_message, about) => {
      if (about.kind === "failure") broken.push(`${about.who} ${about.failure?.message}`);
    },
    clock,
  });
  const { event, toolName, number, isError } = schedule;
  const call = sampleCall({ toolName, inputJson: JSON.stringify({ n: number }) });
  const pending =
    event === "pre_tool_use"
      ? chain.beforeCall(call, { signal: turn.signal })
      : chain.afterCall(call, { output: { n: number }, isError }, { signal: turn.signal });
  const outcome = await settle(pending, clock);
  const asked = chain.trail[0]?.asked ?? [];
  return {
    decision: outcome.decision,
    reason: outcome.decision === "allow" ? undefined : outcome.reason,
    ...changeOf(outcome, schedule),
    asked: asked.map(({ who, mode, decision }) => `${who} ${mode} ${decision}`),
    broken,
    isAsync: pending instanceof Promise,
  };
}

/** Lets the time pass until the chain has answered. */
async function settle(pending: HookOutcome | Promise<HookOutcome>, clock: ManualClock): Promise<HookOutcome> {
  for (let rounds = 0; rounds < 50; rounds += 1) {
    const tick = new Promise<undefined>((done) => void setImmediate(done, undefined));
    const outcome = await Promise.race([pending, tick]);
    if (outcome !== undefined) return outcome;
    clock.advance(DEADLINE_MS);
  }
  throw new Error("the chain never answers");
}

function changeOf(outcome: HookOutcome, { number, isError }: Schedule): { number: number; isError: boolean } {
  if (outcome.decision === "modify") return { number: (outcome.input as { n: number }).n, isError };
  if (outcome.decision !== "replace") return { number, isError };
  return { number: (outcome.output as { n: number }).n, isError: outcome.isError };
}

/** What a denied call leaves is nobody's business. */
function comparable(outcome: ReferenceOutcome, { number, isError }: Schedule): ReferenceOutcome {
  const keepsIt = outcome.decision === "modify" || outcome.decision === "replace";
  return keepsIt ? outcome : { ...outcome, number, isError };
}

describe("a chain of scripted programs that fail at random", () => {
  // H19-H22, H25-H30, H32, H33, H35, H92, S1
  it(
    "comes to what the rules of folding say, word for word",
    async () => {
      const tally = new Map<string, number>();
      for (let index = from; index < from + runs; index += 1) {
        const schedule = randomSchedule(new Random(seed, index));
        const right = comparable(referenceFold(schedule), schedule);
        const found = await productFold(schedule);
        const isAskedAgain = right.asked.some((question) => question.includes(" recheck "));
        for (const kind of isAskedAgain ? [right.decision, "asked again"] : [right.decision]) {
          tally.set(kind, (tally.get(kind) ?? 0) + 1);
        }
        const command = reproduction("hook-programs", seed, index);
        expect({ command, ...found }).toEqual({ command, ...right });
      }
      console.log(`seed ${seed}, from ${from}, ${runs} cases: ${JSON.stringify(Object.fromEntries(tally))}`);
      const kinds = ["allow", "deny", "modify", "replace", "asked again"];
      expect(kinds.filter((kind) => runs >= 1000 && (tally.get(kind) ?? 0) < runs / 50)).toEqual([]);
    },
    CAMPAIGN_TIMEOUT_MS,
  );
});
