import assert from "node:assert/strict";
import { defineOutput, runOutput, unionOutput } from "@basis/typed-output";
import { scriptedRunner } from "@basis/typed-output/testing";
import { z } from "zod";

// A model may answer, or say why it cannot: both are answers, and both are checked.
const patch = defineOutput({
  name: "patch",
  description: "A change that mends the test.",
  schema: z.object({ file: z.string().describe("Its path."), line: z.int().describe("From 1.") }),
});
const giveUp = defineOutput({
  name: "give_up",
  description: "Why no change would mend it.",
  schema: z.object({ reason: z.string().describe("One sentence.") }),
});
const fix = unionOutput({
  name: "fix",
  description: "What to do about the failing test.",
  variants: { patch, give_up: giveUp },
});

async function mend(runner) {
  const attempt = await runOutput(runner, fix, "Mend the failing test.");
  switch (attempt.status) {
    case "accepted": {
      const { kind, value } = attempt.value; // TypeScript narrows value by kind
      return kind === "patch" ? `change ${value.file}:${value.line}` : `left alone: ${value.reason}`;
    }
    case "refused":
      return `the model refused: ${attempt.text}`;
    case "truncated":
      return "cut off: ask with a higher limit"; // half an answer is no answer
    case "bounded":
      return `ended by the bound ${attempt.by}`;
    default:
      return `no usable answer (${attempt.status})`;
  }
}

// Each host scripted: aiSdkRunner({ model, tools }) or a runner of your own stands here.
const answering = (...texts) => scriptedRunner(texts.map((terminal) => ({ terminal })));
assert.equal(await mend(answering('{"patch":{"file":"a.ts","line":3}}')), "change a.ts:3");
const late = answering('{"patch":{"file":"a.ts"}}', '{"give_up":{"reason":"it needs a network"}}');
assert.equal(await mend(late), "left alone: it needs a network"); // the first was fed back
assert.equal(await mend(answering('{"patch":{"file":"a.ts"')), "cut off: ask with a higher limit");
const wrong = answering("{}", "{}", "{}");
assert.equal(await mend(wrong), "no usable answer (mismatch)");
