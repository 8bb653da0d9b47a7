import { expect, it } from "vitest";
import { defineOutput, streamOutput } from "../../src/index.ts";
import { scriptedRunner } from "../../src/testing/index.ts";

// cases 85 and 87
it("the elements of a new attempt are told anew, from the first", async () => {
  const rows = { type: "array", items: { type: "integer" } };
  const schema = { type: "object", properties: { rows }, required: ["rows"] };
  const spec = defineOutput({ name: "rows", description: "", schema });
  const answers = ['{"rows":[1,"x",3]}', '{"rows":[4,5]}'];
  const runner = scriptedRunner(
    answers.map((terminal) => ({ terminal })),
    { pieces: 4 },
  );
  const told: unknown[] = [];
  for await (const event of streamOutput(runner, spec, "Go.", { elements: "/rows" })) {
    if (event.type === "element" || event.type === "invalid_element") told.push(event.value);
    if (event.type === "reset") told.push("reset");
  }
  expect(told).toEqual([1, "x", 3, "reset", 4, 5]);
});
