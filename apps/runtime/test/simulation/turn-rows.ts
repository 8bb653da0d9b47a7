import type { ModelMessage } from "@mobkit/session";

export const prompt = (id: string): ModelMessage => ({ role: "user", content: id });

export const finalText: ModelMessage = { role: "assistant", content: "done" };

export const callOf = (toolCallId: string): ModelMessage => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId, toolName: "act", input: {} }],
});

export const resultOf = (toolCallId: string, value: string): ModelMessage => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId, toolName: "act", output: { type: "text", value } }],
});

/** How many calls a turn's rows have, and which of them is open. */
export function stageOf(bodies: readonly ModelMessage[]): {
  readonly calls: number;
  readonly open: string | undefined;
} {
  let calls = 0;
  let open: string | undefined;
  for (const { content } of bodies) {
    const [part] = Array.isArray(content) ? content : [];
    if (part?.type === "tool-call") {
      calls += 1;
      open = part.toolCallId;
    } else if (part?.type === "tool-result") open = undefined;
  }
  return { calls, open };
}
