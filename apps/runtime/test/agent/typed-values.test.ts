import { defineOutput, type OutputSpec } from "@basis/typed-output";
import { expect, test } from "vitest";
import { openTestHost, type TestHostOptions } from "../harness/test-host.ts";
import { expectTold } from "../harness/told-output.ts";

const define = <T>(schema: object): OutputSpec<T> =>
  defineOutput<T>({ name: "answer", description: "An answer.", schema: schema as never });

async function answered(spec: OutputSpec<unknown>, round: object, options: TestHostOptions = {}) {
  const host = await openTestHost({ agents: { main: [round] }, ...options });
  const attempt = await (await host.runtime.prepare(host.facts)).output(spec, "judge");
  await expectTold(host, attempt);
  return { attempt, told: host.events.data("output_accepted") };
}

test("a value that is what the model wrote is told once", async () => {
  const spec = define({ type: "object", properties: { n: { type: "integer" } } });
  const { attempt, told } = await answered(spec, { terminal: '{"n":7}' });
  expect(attempt).toMatchObject({ status: "accepted", value: { n: 7 } });
  expect(told).toEqual([expect.objectContaining({ candidate: { n: 7 } })]);
  expect(told[0]).not.toHaveProperty("value");
});

test("a value is told as it is answered with, not as it was wrapped", async () => {
  const spec = define({ type: "array", items: { type: "string" } });
  const { attempt, told } = await answered(spec, { terminal: '{"value":["a","b"]}' });
  expect(attempt).toMatchObject({ status: "accepted", value: ["a", "b"] });
  expect(told).toMatchObject([{ candidate: { value: ["a", "b"] }, value: ["a", "b"] }]);
});

test("a value that came as text is told as the value", async () => {
  const spec = define({ type: "object", properties: { n: { type: "integer" } } });
  const scripted = { capabilities: { forcedChoice: "none", nativeSchema: true } } as const;
  const { attempt, told } = await answered(spec, { text: '```json\n{"n":7}\n```' }, { scripted });
  expect(attempt).toMatchObject({ status: "accepted", normalized: true });
  expect(told).toMatchObject([
    { value: { n: 7 }, normalized: true, candidate: expect.stringContaining("```") as string },
  ]);
});
