import { describe, expect, it } from "vitest";
import { drawSessionTree, treeLines } from "../../src/cli/sessions/session-tree.ts";
import type { SessionView } from "../../src/store/session-view.ts";

const view = (session: string, more: Partial<SessionView> = {}): SessionView => ({
  session,
  member: session,
  role: "main",
  state: "ready",
  messages: 4,
  created_at: "",
  updated_at: "",
  ...more,
});

describe("drawSessionTree", () => {
  it("draws forks and children below their source, however deep", () => {
    const sessions = [
      view("a"),
      view("b", { forked_from: { session: "a", at: 2 } }),
      view("c", { spawned_by: { session: "b", call_id: "1" } }),
      view("d", { forked_from: { session: "a", at: 4 }, state: "pending", member: null }),
      view("e", { state: "parked" }),
    ];
    expect(drawSessionTree(treeLines(sessions)).split("\n")).toEqual([
      "a (4 messages)",
      "  ⑂ b (from message 2, 4 messages)",
      "    ↳ c (4 messages)",
      "  ⑂ d (from message 4, 4 messages, not seated)",
      "e (4 messages, parked)",
    ]);
  });

  it("draws a fork whose source is gone at the top", () => {
    expect(drawSessionTree(treeLines([view("b", { forked_from: { session: "gone", at: 2 } })]))).toContain(
      "⑂ b",
    );
  });

  it("draws one session and what came from it", () => {
    const sessions = [
      view("a"),
      view("b", { forked_from: { session: "a", at: 2 } }),
      view("c", { forked_from: { session: "b", at: 2 } }),
      view("d", { forked_from: { session: "a", at: 1 } }),
    ];
    expect(treeLines(sessions, "b").map(({ depth, view: each }) => [depth, each.session])).toEqual([
      [0, "b"],
      [1, "c"],
    ]);
    expect(treeLines(sessions, "gone")).toEqual([]);
  });

  it("draws a lineage deeper than calls can be", () => {
    const sessions = Array.from({ length: 20_000 }, (_, at) =>
      view(`s${at}`, at === 0 ? {} : { forked_from: { session: `s${at - 1}`, at: 1 } }),
    );
    expect(treeLines(sessions).at(-1)).toMatchObject({ depth: 19_999, view: { session: "s19999" } });
  });
});
