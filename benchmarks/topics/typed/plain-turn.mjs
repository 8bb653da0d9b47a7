import { hostOf } from "./hand-loop.mjs";
import { subjectOf } from "./scene.mjs";

/**
 * The same host by hand with the same calls, and nobody who looks at what they say: a turn whose tool takes its parsed
 * input. What a typed turn costs beyond it is the price of the type.
 */
export function open() {
  const signal = new AbortController().signal;
  const tool = { name: "invoice", description: "", inputSchema: {} };
  const ask = async (replies) => {
    let value;
    const gate = {
      toolName: tool.name,
      offer: () => ({ kind: "round", round: 1, tools: "all", terminal: tool, choice: { type: "auto" } }),
      admit: (calls) => ({ terminal: calls, refused: [] }),
      settle: async (call) => {
        value = JSON.parse(call.input);
        return { kind: "accept", result: { output: "done", isError: false } };
      },
      close: () => ({ kind: "end", results: [] }),
    };
    await hostOf(replies).run({ gate, signal });
    return value;
  };
  return subjectOf(ask);
}
