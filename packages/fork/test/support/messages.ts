import type { ModelMessage } from "@mobkit/session";

export const user = (text: string): ModelMessage => ({ role: "user", content: text });
export const assistant = (text: string): ModelMessage => ({ role: "assistant", content: text });

/** One assistant message that opens every call named. */
export const calls = (...ids: string[]): ModelMessage => ({
  role: "assistant",
  content: ids.map((toolCallId) => ({ type: "tool-call", toolCallId, toolName: "read", input: {} })),
});

export const result = (toolCallId: string): ModelMessage => ({
  role: "tool",
  content: [
    { type: "tool-result", toolCallId, toolName: "read", output: { type: "text", value: "ok" } },
  ] as never,
});

/** Seven messages, in which the lengths 3 and 4 lie between two parallel calls and their last result. */
export const story: readonly ModelMessage[] = [
  user("look at a and b"),
  assistant("at once"),
  calls("a", "b"),
  result("b"),
  result("a"),
  assistant("both are fine"),
  user("thanks"),
];
