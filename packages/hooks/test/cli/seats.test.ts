import { describe, expect, it } from "vitest";
import type { NotAsked, TrailEntry } from "../../src/index.ts";
import { seatRecord } from "../../src/cli/seats.ts";
import { listedHook } from "./support/listed-hook.ts";

const call = { event: "pre_tool_use", toolName: "run", input: {} } as const;
const answer = (name: string, facts: Partial<TrailEntry> = {}): TrailEntry => ({
  who: `hook '${name}'`,
  name,
  kind: "hook",
  rank: "workspace",
  shadow: false,
  mode: "decide",
  decision: "allow",
  ms: 1,
  ...facts,
});
const left = (name: string, why: NotAsked["why"] = "filtered"): NotAsked => ({
  who: `hook '${name}'`,
  name,
  why,
});

describe("seatRecord", () => {
  it("tells two hooks of one name apart by their filters and places", () => {
    // H32
    const hooks = [listedHook({ tools: ["read"] }), listedHook(), listedHook({ tools: ["read"] })];
    const { asked, notAsked } = seatRecord(
      { asked: [answer("guard")], notAsked: [left("guard"), left("guard")] },
      hooks,
      call,
    );
    expect(asked.map(({ position }) => position)).toEqual([2]);
    expect(notAsked.map(({ position, because }) => [position, because])).toEqual([
      [1, "its 'tools' are 'read'"],
      [3, "its 'tools' are 'read'"],
    ]);
  });

  it("tells a name of both files apart by rank, and seats a second question on the first's place", () => {
    const hooks = [listedHook({}, "global"), listedHook()];
    const again = answer("guard", { rank: "global", mode: "recheck" });
    const record = {
      asked: [answer("guard", { rank: "global" }), answer("guard", { decision: "modify" }), again],
      notAsked: [],
    };
    expect(seatRecord(record, hooks, call).asked.map(({ position }) => position)).toEqual([1, 2, 1]);
  });

  it("says that the chain had ended, or that earlier hooks had changed the input", () => {
    const hooks = [
      listedHook({ name: "a" }),
      listedHook({ name: "b" }),
      listedHook({ name: "c", input: { "/x": "*" } }),
    ];
    const record = { asked: [answer("a", { decision: "deny" })], notAsked: [left("b", "ended"), left("c")] };
    const given = { ...call, input: { x: "as it was" } };
    expect(seatRecord(record, hooks, given).notAsked.map(({ because }) => because)).toEqual([
      "the chain had ended before its turn",
      "its 'input' did not match what the hooks before it had left",
    ]);
  });

  it("seats who was asked only to judge a rewrite", () => {
    const hooks = [listedHook({ name: "a", input: { "/x": "*" } }), listedHook({ name: "b" })];
    const record = {
      asked: [answer("b", { decision: "modify" }), answer("a", { mode: "recheck" })],
      notAsked: [],
    };
    expect(
      seatRecord(record, hooks, { ...call, input: { x: "1" } }).asked.map(({ position }) => position),
    ).toEqual([2, 1]);
  });
});
