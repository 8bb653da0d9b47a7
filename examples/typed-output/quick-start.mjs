import assert from "node:assert/strict";
import { defineOutput, output, runOutput } from "@basis/typed-output";
import { scriptedRunner } from "@basis/typed-output/testing";

const total = { type: "integer", description: "In cents, tax included." };
const invoice = defineOutput({
  name: "invoice",
  description: "What the invoice comes to.",
  schema: { type: "object", properties: { total }, required: ["total"] },
});
const validate = (value) =>
  value.total > 0 ? { decision: "accept", value } : { decision: "reject", message: "A total is positive." };

// a scripted model: a wrong type, a value the host refuses, then the answer
const answers = ['{"total":"12"}', '{"total":0}', '{"total":1200}'];
const runner = scriptedRunner(answers.map((terminal) => ({ terminal })));
const { value, report } = await output(runner, invoice, "Add up the invoice.", { validate });
assert.deepEqual(value, { total: 1200 });
assert.equal(report.outcome, "completed");

// a cut answer is never repaired
const cut = await runOutput(scriptedRunner([{ terminal: '{"total":12' }]), invoice, "Add up the invoice.");
assert.equal(cut.status, "truncated");
