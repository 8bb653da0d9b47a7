import type { JsonValue } from "@basis/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createHookChain,
  type HookAnswer,
  type HookOutcome,
  type HookRequest,
  type Participant,
} from "../src/index.ts";
import { sampleCall } from "../src/testing/index.ts";
import { effectOfNumber, expectedOf, type Move, type Player } from "./fold-model.ts";

const numberOf = (value: JsonValue): number => (value as { n: number }).n;

function answerOf(move: Move, { event }: HookRequest): HookAnswer {
  const isPre = event === "pre_tool_use";
  const change = (n: number, before: boolean): HookAnswer =>
    before ? { decision: "modify", input: { n } } : { decision: "replace", output: { n } };
  if (typeof move === "number") return change(move, isPre);
  if (move === "wrong event") return change(0, !isPre);
  if (move === "throw") throw new Error("x");
  if (move === "nonsense") return { decision: "perhaps" } as never;
  return move === "deny why" ? { decision: "deny", reason: "why" } : { decision: move };
}

function participantOf(player: Player): Participant {
  const { name, kind, rank, events, tools, effect, only, onFailure, shadow, timing, moves } = player;
  const answer = (request: HookRequest): HookAnswer => {
    const seen = request.event === "post_tool_use" ? request.output : request.input;
    return answerOf(moves[numberOf(seen)]!, request);
  };
  const later = (): Promise<void> => new Promise((done) => void setImmediate(done));
  const intercept = {
    "at once": answer,
    soon: async (request: HookRequest) => answer(request),
    later: async (request: HookRequest) => later().then(() => answer(request)),
  }[timing];
  const common = { name, events, tools, effect, shadow, intercept };
  if (kind === "interceptor") return common;
  return { ...common, kind, rank, onFailure, ...(only !== undefined && { input: { "/n": String(only) } }) };
}

const move = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Move>("allow") },
  { weight: 3, arbitrary: fc.constantFrom<Move>(0, 1, 2) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Move>("deny", "deny why", "throw", "nonsense", "wrong event"),
  },
);
const player = fc
  .record({
    kind: fc.constantFrom("interceptor" as const, "hook" as const),
    rank: fc.constantFrom("interceptor" as const, "global" as const, "workspace" as const),
    events: fc.constantFrom<Player["events"]>(
      ["pre_tool_use", "post_tool_use"],
      ["pre_tool_use"],
      ["post_tool_use"],
    ),
    tools: fc.constantFrom(undefined, undefined, ["run"], ["x", "r*"], ["?un"], ["write"], []),
    effect: fc.constantFrom<Player["effect"]>(undefined, undefined, ["read"], ["write"], ["read", "write"]),
    only: fc.constantFrom(undefined, undefined, 0, 1, 2),
    onFailure: fc.constantFrom("deny" as const, "allow" as const),
    shadow: fc.constantFrom(false, false, false, true),
    timing: fc.constantFrom("at once" as const, "at once" as const, "soon" as const, "later" as const),
    moves: fc.tuple(move, move, move),
  })
  .map((facts): Omit<Player, "name"> =>
    facts.kind === "hook" ? facts : { ...facts, rank: "interceptor", onFailure: "deny", only: undefined },
  );
const players = fc
  .array(player, { maxLength: 7 })
  .map((list) => list.map((facts, index): Player => ({ ...facts, name: `p${index}` })));

describe("a chain", () => {
  it.each(["pre_tool_use", "post_tool_use"] as const)(
    "does what a plain second telling of the folding rules says, whoever is in it: %s",
    async (event) => {
      // H19-H22, H25, H26, H28-H30, H33, H45, H46, H92, S1, S19
      await fc.assert(
        fc.asyncProperty(players, fc.nat(2), fc.nat(2), async (list, input, output) => {
          const participants = list.map(participantOf);
          const chain = createHookChain({ workspace: "/w", participants, report: () => undefined });
          const effectOf = (of: JsonValue) => effectOfNumber(numberOf(of));
          const call = sampleCall({ inputJson: JSON.stringify({ n: input }), effectOf });
          const pending =
            event === "pre_tool_use"
              ? chain.beforeCall(call)
              : chain.afterCall(call, { output: { n: output }, isError: true });
          const isSync = list.every(({ timing }) => timing === "at once");
          expect(isSync && pending instanceof Promise).toBe(false);
          const outcome: HookOutcome = await pending;
          const expected = expectedOf(list, event, { input, output });
          expect(outcome).toEqual(expected.outcome);
          // An empty chain notes nothing.
          const record = chain.trail[0] ?? { decision: "allow", asked: [], notAsked: [] };
          expect(record.decision).toBe(outcome.decision);
          expect(record.asked.map(({ who, mode, decision }) => ({ who, mode, decision }))).toEqual(
            expected.asked,
          );
          expect(record.notAsked.map(({ who, why }) => ({ who, why }))).toEqual(expected.notAsked);
        }),
        { numRuns: 1500 },
      );
    },
    60_000,
  );
});
