import fc from "fast-check";
import { expect, test } from "vitest";
import { callsOf, withFreshCallIds } from "../../src/agent/transcript/tool-message.ts";
import type { AssistantMessage } from "../../src/providers/model.ts";

const id = fc.oneof(
  fc.constantFrom("c", "call_0_0", "call_1_0", "call_1_0_2", "call_2_1"),
  fc.string({ minLength: 1 }),
);
const rounds = fc.array(fc.record({ ids: fc.array(id, { maxLength: 4 }), summarised: fc.boolean() }), {
  maxLength: 8,
});

const messageOf = (ids: readonly string[]): AssistantMessage => ({
  role: "assistant",
  content: ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "look", input: {} })),
});

test("no id is given out twice in a transcript, whatever a provider sends and whatever summaries hide", () => {
  fc.assert(
    fc.property(rounds, (transcript) => {
      const all: string[] = [];
      let hidden = false;
      for (const [row, { ids, summarised }] of transcript.entries()) {
        hidden ||= summarised;
        const message = withFreshCallIds(messageOf(ids), hidden ? "unknown" : new Set(all), row);
        all.push(...callsOf(message).map(({ toolCallId }) => toolCallId));
      }
      expect(new Set(all).size).toBe(all.length);
    }),
  );
});

test("an id that is free stays as the provider sent it", () => {
  const message = messageOf(["a", "b"]);
  expect(withFreshCallIds(message, new Set(["c"]), 3)).toBe(message);
});
