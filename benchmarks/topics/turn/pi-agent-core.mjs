import { Agent } from "@mariozechner/pi-agent-core";
import { createAssistantMessageEventStream, Type } from "@mariozechner/pi-ai";
import { ANSWER, FILE, INPUT, isAllowed, PROMPT, subjectOf, SYSTEM, TOOL, USAGE } from "./scene.mjs";

const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const model = {
  id: "instant",
  name: "instant",
  api: "instant",
  provider: "instant",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: noCost,
  contextWindow: 200_000,
  maxTokens: 8192,
};

/** pi's `Agent` with one `beforeToolCall`; it validates arguments, asks nobody and keeps nothing. */
export function open() {
  let calls = 0;
  const tool = {
    ...TOOL,
    label: TOOL.name,
    parameters: Type.Object(
      {
        path: Type.String(),
        from: Type.Optional(Type.Integer({ minimum: 1 })),
        lines: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000 })),
      },
      { additionalProperties: false },
    ),
    execute: async () => ((calls += 1), { content: [{ type: "text", text: FILE }], details: {} }),
  };
  const prepare = () =>
    new Agent({
      initialState: { systemPrompt: SYSTEM, model, tools: [tool] },
      streamFn: instantStream,
      beforeToolCall: async ({ args }) => (isAllowed(args) ? undefined : { block: true, reason: "not that" }),
    });
  const turn = async (agent) => {
    await agent.prompt(PROMPT);
    return agent.state.messages.at(-1).content[0].text;
  };
  return subjectOf({ prepare, turn, calls: () => calls });
}

function instantStream(_model, { messages }) {
  const stream = createAssistantMessageEventStream();
  if (messages.at(-1).role === "user") {
    const toolCall = { type: "toolCall", id: "call-1", name: TOOL.name, arguments: { ...INPUT } };
    const message = messageOf([toolCall], "toolUse");
    stream.push({ type: "start", partial: message });
    stream.push({ type: "toolcall_end", contentIndex: 0, toolCall, partial: message });
    stream.push({ type: "done", reason: "toolUse", message });
  } else {
    const message = messageOf([{ type: "text", text: ANSWER }], "stop");
    stream.push({ type: "start", partial: message });
    stream.push({ type: "text_delta", contentIndex: 0, delta: ANSWER, partial: message });
    stream.push({ type: "done", reason: "stop", message });
  }
  return stream;
}

function messageOf(content, stopReason) {
  const tokens = { ...USAGE, cacheRead: 0, cacheWrite: 0, totalTokens: USAGE.input + USAGE.output };
  const usage = { ...tokens, cost: { ...noCost, total: 0 } };
  const { api, provider, id } = model;
  return { role: "assistant", content, api, provider, model: id, usage, stopReason, timestamp: Date.now() };
}
