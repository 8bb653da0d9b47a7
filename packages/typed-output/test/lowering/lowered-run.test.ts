import type { JsonObject } from "@basis/core";
import { describe, expect, it } from "vitest";
import { defineOutput, type ModelCapabilities } from "../../src/index.ts";
import { ask, toolTexts } from "../support/asking.ts";

const openai: Partial<ModelCapabilities> = { dialect: "openai" };
const schema: JsonObject = {
  type: "object",
  properties: {
    title: { type: "string", description: "A title.", maxLength: 10 },
    labels: { type: "object", additionalProperties: { type: "integer" } },
    point: {
      type: "array",
      prefixItems: [{ type: "number" }, { type: "number" }],
      items: false,
      minItems: 2,
    },
  },
  required: ["title"],
  additionalProperties: false,
};
const spec = defineOutput<JsonObject>({ name: "report", description: "A report.", schema });
const written = {
  title: "ok",
  labels: { entries: [{ key: "a", value: 1 }] },
  point: { item_1: 1, item_2: 2 },
};

describe("a run on a model whose provider takes a subset", () => {
  it("shows the model the subset, strictly, and gives the author's value", async () => {
    const { attempt, runner } = await ask([{ terminal: JSON.stringify(written) }], {
      spec,
      host: { capabilities: openai },
    });
    expect(attempt).toMatchObject({
      status: "accepted",
      normalized: false,
      value: { title: "ok", labels: { a: 1 }, point: [1, 2] },
    });
    const { terminal } = runner.requests[0]!.offer;
    expect(terminal).toMatchObject({ strict: true, inputSchema: { required: ["title", "labels", "point"] } });
    expect(attempt.plan.ledger).toContainEqual(
      expect.objectContaining({ keyword: "maxLength", provider: "openai", enforced: true }),
    );
  });

  it("checks the lifted answer against the author's schema, and names places as the model wrote them", async () => {
    const labels = { entries: [{ key: "a", value: 1.5 }] };
    const { attempt, runner } = await ask(
      [
        { terminal: JSON.stringify({ ...written, title: "far too long", labels }) },
        { terminal: JSON.stringify(written) },
      ],
      { spec, host: { capabilities: openai } },
    );
    expect(attempt.status).toBe("accepted");
    expect(attempt.attempts[0]?.issues.map(({ pointer }) => pointer).toSorted()).toEqual([
      "/labels/a",
      "/title",
    ]);
    expect(toolTexts(runner)[0]).toContain("/labels/entries/0/value: expected integer");
  });

  it("tells the model of a key that stands there twice", async () => {
    const pair = { key: "a", value: 1 };
    const { attempt, runner } = await ask(
      [
        { terminal: JSON.stringify({ ...written, labels: { entries: [pair, pair] } }) },
        { terminal: JSON.stringify(written) },
      ],
      { spec, host: { capabilities: openai } },
    );
    expect(attempt.status).toBe("accepted");
    expect(toolTexts(runner)[0]).toContain('/labels/entries/1/key: the key "a" stands there twice');
  });

  it.each([
    ["a pair", { labels: { entries: [{ key: "__proto__", value: 1 }] }, any: null }],
    [
      "a member and a pair",
      { labels: null, any: { entries: [{ key: "constructor", value: '{"prototype":1}' }] } },
    ],
  ])("refuses a key that reaches a prototype, which lifting made of %s", async (_, members) => {
    const labels = { type: "object", additionalProperties: { type: "integer" } };
    const open: JsonObject = { type: "object", properties: { labels, any: { type: "object" } } };
    const { attempt } = await ask([{ terminal: JSON.stringify(members) }], {
      spec: defineOutput<JsonObject>({ name: "open", description: "", schema: open }),
      attempts: 1,
      host: { capabilities: openai },
    });
    expect(attempt).toMatchObject({
      status: "mismatch",
      at: "parse",
      issues: [{ keyword: "prototype_key" }],
    });
  });

  it("accepts an answer that is written as the author's schema says", async () => {
    const value = { title: "ok", labels: { a: 1 }, point: [1, 2] };
    const { attempt } = await ask([{ terminal: JSON.stringify(value) }], {
      spec,
      host: { capabilities: openai },
    });
    expect(attempt).toMatchObject({ status: "accepted", value });
  });

  it("lifts an answer out of the wrapper of a root that is no object", async () => {
    const list = defineOutput<unknown>({
      name: "list",
      description: "",
      schema: { type: "array", items: { type: "object", properties: { a: { type: "string" } } } },
    });
    const { attempt } = await ask([{ terminal: '{"value":[{"a":null}]}' }], {
      spec: list,
      host: { capabilities: openai },
    });
    expect(attempt).toMatchObject({ status: "accepted", value: [{}] });
    expect(attempt.plan.ledger.map(({ pointer }) => pointer)).toContain("/items/required");
  });
});

// case 17
describe("loss: refuse", () => {
  it("ends a run as unsupported before any request when something is lost", async () => {
    const { attempt, runner } = await ask([], { spec, loss: "refuse", host: { capabilities: openai } });
    expect(attempt).toMatchObject({ status: "unsupported", at: "schema" });
    expect(attempt.report).toBeUndefined();
    expect(runner.requests).toHaveLength(0);
  });

  it("lets a run go on when nothing is", async () => {
    const closed = { ...schema, properties: { title: { type: "string" } } };
    const plain = defineOutput<JsonObject>({ name: "plain", description: "", schema: closed });
    const { attempt } = await ask([{ terminal: '{"title":"ok"}' }], {
      spec: plain,
      loss: "refuse",
      host: { capabilities: openai },
    });
    expect(attempt.status).toBe("accepted");
  });
});

// case 18
describe("check", () => {
  it("gives ledger, limits and warnings without a host", async () => {
    const check = await spec.check({ dialect: "openai" });
    expect(check).toMatchObject({
      dialect: "openai",
      unsupported: [],
      warnings: [{ pointer: "/properties/labels" }, { pointer: "/properties/point" }],
    });
    expect(check.limits).toContainEqual({ limit: "properties", count: 8, most: 5_000, exceeded: false });
    expect(check.ledger.length).toBeGreaterThan(3);
  });

  it("says of a schema that arrives as written that nothing is rewritten", async () => {
    expect(await spec.check({})).toMatchObject({ schema, ledger: [], limits: [] });
  });

  it("refuses a dialect that is not known", async () => {
    await expect(spec.check({ dialect: "nobody" as "openai" })).rejects.toThrow(
      /openai, anthropic, gemini, openapi/,
    );
  });

  it("ends a run as unsupported where the provider cannot be asked at all", async () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } }, required: ["next"] };
    const endless = defineOutput<unknown>({
      name: "endless",
      description: "",
      schema: { type: "object", properties: { list: { $ref: "#/$defs/node" } }, $defs: { node } },
    });
    const { attempt } = await ask([], { spec: endless, host: { capabilities: { dialect: "gemini" } } });
    expect(attempt).toMatchObject({
      status: "unsupported",
      at: "schema",
      hint: expect.stringContaining("contains itself"),
    });
  });
});

describe("a lowered run whose host is odd", () => {
  it.each([null, 3, "nobody", {}, { name: "x" }])(
    "fails before any request with the dialect %j, saying why",
    async (dialect) => {
      const { attempt, runner } = await ask([], {
        spec,
        host: { capabilities: { dialect: dialect as "openai" } },
      });
      expect(attempt).toMatchObject({ status: "failed", error: expect.any(TypeError) });
      expect(runner.requests).toHaveLength(0);
    },
  );

  it("says nothing of the answer when redaction is on, and what could not be lifted least of all", async () => {
    const pair = { key: "secret", value: 1 };
    const terminal = JSON.stringify({ ...written, labels: { entries: [pair, pair] } });
    const { attempt, runner } = await ask([{ terminal }, { terminal }], {
      spec,
      redact: true,
      attempts: 2,
      host: { capabilities: openai },
    });
    expect(attempt.status).toBe("mismatch");
    expect(`${JSON.stringify(attempt)}${toolTexts(runner).join()}`).not.toContain("secret");
  });
});
