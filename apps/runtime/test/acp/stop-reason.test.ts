import { expect, test } from "vitest";
import { stopReason } from "../../src/acp/stop-reason.ts";
import type { TurnEnd } from "../../src/rpc/turn-end.ts";

const ended = (status: TurnEnd["status"], stopped_by?: string): TurnEnd => ({
  run: "r",
  session: "s",
  member: "m",
  text: "",
  status,
  ...(stopped_by !== undefined && { stopped_by }),
});

test.each([
  [ended("completed"), "stop", "end_turn"],
  [ended("completed"), undefined, "end_turn"],
  [ended("completed"), "length", "max_tokens"],
  [ended("completed"), "content_filter", "refusal"],
  [ended("stopped", "token_budget"), "stop", "max_tokens"],
  [ended("stopped", "rounds"), "tool_calls", "max_turn_requests"],
  [ended("stopped", "tool_budget"), "tool_calls", "max_turn_requests"],
  [ended("stopped", "deadline"), "stop", "max_turn_requests"],
  [ended("stopped", "stop"), "stop", "cancelled"],
  [ended("cancelled"), "stop", "cancelled"],
  [ended("parked"), "tool_calls", "end_turn"],
  [ended("failed"), undefined, undefined],
] as const)("a turn that ended as %o with the finish %s is told as %s", (end, finish, reason) => {
  expect(stopReason({ end, isCancelled: false, finish })).toBe(reason);
  expect(stopReason({ end, isCancelled: true, finish })).toBe("cancelled");
});
