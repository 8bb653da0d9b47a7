import { describe, expect, it } from "vitest";
import { drawSessionTree } from "../../src/cli/session-tree.ts";
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
    expect(drawSessionTree(sessions).split("\n")).toEqual([
      "a (4 messages)",
      "  ⑂ b (from message 2, 4 messages)",
      "    ↳ c (4 messages)",
      "  ⑂ d (from message 4, 4 messages, not seated)",
      "e (4 messages, parked)",
    ]);
  });

  it("draws a fork whose source is gone at the top", () => {
    expect(drawSessionTree([view("b", { forked_from: { session: "gone", at: 2 } })])).toContain("⑂ b");
  });
});
