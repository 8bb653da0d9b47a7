import type { JsonObject } from "@basis/core";
import { describe, expect, it } from "vitest";
import { createLadderMemory, defineOutput } from "../../src/index.ts";
import { ask } from "../support/asking.ts";

const schema: JsonObject = {
  type: "object",
  properties: {
    title: { type: "string", maxLength: 10 },
    labels: { type: "object", additionalProperties: { type: "integer" } },
  },
  required: ["title"],
};
const spec = defineOutput<JsonObject>({ name: "report", description: "A report.", schema });
const written = { title: "ok", labels: { entries: [{ key: "a", value: 1 }] } };

// case 25
describe("a schema that the provider refuses in strict mode", () => {
  const refusal = { status: 400, message: "Invalid schema for function: 'maxLength' is not permitted." };
  const host = { capabilities: { dialect: "openai", native: "with_tools" } } as const;
  const answer = { terminal: JSON.stringify(written) };

  it.each([
    ["working", spec.withTools(), undefined],
    ["shaping", spec, "tool"],
  ] as const)("is sent once more without it: a %s turn goes on as it was", async (_, asked, rung) => {
    const { attempt, runner } = await ask([{ error: refusal }, answer], { spec: asked, host, attempts: 1 });
    expect(attempt).toMatchObject({
      status: "accepted",
      value: { labels: { a: 1 } },
      plan: { strict: false, degradations: [{ from: "tool", to: "tool", reason: "strict" }] },
    });
    const [first, second] = runner.requests.map(({ offer }) => offer);
    expect(first!.terminal).toMatchObject({ strict: true });
    expect(second).toMatchObject({ choice: first!.choice, round: 1, ...(rung && { rung }) });
    expect(second!.terminal).toEqual({ ...first!.terminal, strict: undefined });
  });

  it("is not sent strictly again on any rung, nor by later runs while that is remembered", async () => {
    const memory = createLadderMemory();
    const down = await ask([{ error: refusal }, { error: refusal }, { text: answer.terminal }], {
      spec,
      host,
      memory,
    });
    expect(down.attempt).toMatchObject({ status: "accepted", plan: { rung: "native", strict: false } });
    expect(down.runner.requests[2]!.offer.format).not.toHaveProperty("strict");
    const later = await ask([answer], { spec: spec.withTools(), host, memory });
    expect(later.attempt).toMatchObject({ status: "accepted", plan: { strict: false, degradations: [] } });
    expect(later.runner.requests[0]!.offer.terminal).not.toHaveProperty("strict");
    const elsewhere = { capabilities: { ...host.capabilities, endpoint: "gateway" } };
    const other = await ask([answer], { spec, host: elsewhere, memory });
    expect(other.attempt.plan).toMatchObject({ strict: true, skipped: [] });
  });

  it("ends a working turn as unsupported when it is refused without it as well", async () => {
    const { attempt, runner } = await ask([{ error: refusal }, { error: refusal }], {
      spec: spec.withTools(),
      host,
    });
    expect(attempt).toMatchObject({ status: "unsupported", at: "schema" });
    expect(runner.requests).toHaveLength(2);
  });

  it("says nothing of strictness where the schema arrives as written", async () => {
    const { attempt } = await ask([{ error: refusal }], { spec: spec.withTools() });
    expect(attempt.status).toBe("unsupported");
    expect(attempt.plan).not.toHaveProperty("strict");
  });
});
