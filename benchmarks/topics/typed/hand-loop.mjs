import { USAGE } from "./scene.mjs";

const usage = { inputTokens: USAGE.input, outputTokens: USAGE.output };
const report = {
  runId: "run",
  outcome: "completed",
  usage: { ...usage, cachedInputTokens: 0, reasoningTokens: 0 },
};

/** A host by hand: a loop over a gate, with a model that gives its replies at once. */
export function hostOf(replies) {
  return {
    capabilities: { model: { provider: "hand", id: "model" }, tools: true, forced: "named", native: "none" },
    async run({ gate, signal }) {
      for (let round = 0; !signal.aborted && gate.offer().kind !== "end"; round += 1) {
        const call = { toolCallId: `call-${round}`, toolName: gate.toolName, input: replies[round] };
        const admission = gate.admit([call], { finish: "tool_calls", usage });
        for (const terminal of admission.terminal) await gate.settle(terminal);
        if (gate.close().kind === "end") break;
      }
      return report;
    },
  };
}
