// Watches an answer while it is written: elements as they are whole, then the checked result.
import assert from "node:assert/strict";
import { defineOutput, streamOutput } from "@basis/typed-output";
import { scriptedRunner } from "@basis/typed-output/testing";

const line = { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] };
const invoice = defineOutput({
  name: "invoice",
  description: "The lines of the invoice.",
  schema: { type: "object", properties: { lines: { type: "array", items: line } }, required: ["lines"] },
});

// a scripted model that streams its reply in pieces of 8 characters
const runner = scriptedRunner([{ terminal: '{"lines":[{"cents":120},{"cents":80}]}' }], { pieces: 8 });
const seen = [];
const stream = streamOutput(runner, invoice, "Read the invoice.", { elements: "/lines" });
for await (const event of stream) if (event.type === "element") seen.push(event.value.cents);
assert.deepEqual(seen, [120, 80]);
assert.equal((await stream.result).status, "accepted");
