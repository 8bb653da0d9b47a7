import assert from "node:assert/strict";
import { defineOutput, runOutput } from "@basis/typed-output";

/** A TurnRunner around any model function and a map of tools. */
const ownLoop = (model, tools) => ({
  capabilities: { model: { provider: "my", id: "model" }, tools: true, forced: "named", native: "none" },
  async run({ prompt, gate, signal }) {
    const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };
    const rows = [{ role: "user", text: prompt }];
    const commit = (results) => rows.push(...results.map((each) => ({ role: "tool", ...each })));
    for (let end = false; !end && !signal.aborted;) {
      const offer = gate.offer();
      if (offer.kind === "end") break;
      if (offer.message) rows.push({ role: "user", text: offer.message });
      const reply = await model({ rows, tools, offer }); // a refused request: gate.refused({ status, message })
      rows.push({ role: "assistant", ...reply });
      if (reply.calls.length === 0) {
        end = (await gate.ended(reply)).kind === "end";
        continue;
      }
      const round = gate.admit(reply.calls, reply);
      commit(round.refused);
      for (const call of round.terminal) {
        const { result } = await gate.settle(call);
        if (result) commit([{ call, result }]);
      }
      const { run, refused } = round.siblings();
      commit(refused);
      const outcomes = [];
      for (const call of run) {
        if (signal.aborted) break;
        outcomes.push({ call, result: { output: await tools[call.toolName](call.input), isError: false } });
      }
      const verdict = gate.close(outcomes);
      commit([...outcomes, ...verdict.results]);
      end = verdict.kind === "end";
    }
    return { runId: "run-1", outcome: signal.aborted ? "cancelled" : "completed", usage };
  },
});

// a model that reads once and then answers
const model = async ({ rows, offer }) => {
  const read = rows.some((row) => row.role === "tool");
  const [toolName, input] = read ? [offer.terminal.name, '{"lines":3}'] : ["read", "{}"];
  return { text: "", calls: [{ toolCallId: `c${rows.length}`, toolName, input }] };
};
const schema = { type: "object", properties: { lines: { type: "integer" } }, required: ["lines"] };
const spec = defineOutput({ name: "lines", description: "How long the file is.", schema });
const host = ownLoop(model, { read: async () => "a\nb\nc" });
const attempt = await runOutput(host, spec.withTools(), "How long is it?");
assert.equal(attempt.status, "accepted");
assert.deepEqual(attempt.value, { lines: 3 });
