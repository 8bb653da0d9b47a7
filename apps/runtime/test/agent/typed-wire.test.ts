import { LLMock } from "@copilotkit/aimock";
import type { JsonObject, JsonValue } from "@basis/core";
import { createLadderMemory, defineOutput, reserve, type OutputStreamEvent } from "@basis/typed-output";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openModel } from "../../src/providers/open-model.ts";
import type { ProviderKind } from "../../src/providers/provider-settings.ts";
import { hurriedClock } from "../providers/rounds.ts";
import { openTestHost } from "../harness/test-host.ts";

const mock = new LLMock({ port: 0 });
beforeAll(() => mock.start());
afterAll(() => mock.stop());
beforeEach(() => {
  mock.clearFixtures();
  mock.clearRequests();
  mock.resetMatchCounts();
});

const rows = { type: "array", items: { type: "integer", minimum: 1 }, description: "The numbers." };
const schema: JsonObject = {
  type: "object",
  properties: {
    title: { type: "string" },
    note: { type: "string", minLength: 2, maxLength: 80 },
    rows,
  },
  required: ["title", "rows"],
};
const spec = defineOutput<JsonValue>({ name: "listing", description: "", schema, naming: "stable" });
const { toolName } = reserve(spec);

interface Wire {
  readonly kind: ProviderKind;
  readonly path: string;
  readonly model: string;
}

const openai: Wire = { kind: "openai", path: "/v1", model: "gpt-4.1" };
const chat: Wire = { kind: "openai-chat", path: "/v1", model: "gpt-4.1" };
const anthropic: Wire = { kind: "anthropic", path: "/v1", model: "claude-sonnet-4-5" };
const compatible: Wire = { kind: "openai-compatible", path: "/v1", model: "llama-3.3" };
const google: Wire = { kind: "google", path: "/v1beta", model: "gemini-2.5-flash" };

/** A schema of objects in objects. */
function nested(levels: number): JsonObject {
  return levels === 0 ? { type: "string" } : { type: "object", properties: { deeper: nested(levels - 1) } };
}

/** Answers instead of the provider, where it answers at all. */
type Refusing = (body: JsonObject) => Response | undefined;

/** A host whose model is the provider's own package, and the bodies of its requests as they went over the wire. */
async function openWire(wire: Wire, refusing: Refusing = () => undefined) {
  const bodies: JsonObject[] = [];
  const model = openModel(`wire/${wire.model}`, {
    env: { WIRE_API_KEY: "test-key" },
    providers: { wire: { kind: wire.kind, baseUrl: `${mock.url}${wire.path}`, keyVariable: "WIRE_API_KEY" } },
    clock: hurriedClock,
    random: () => 0,
    fetch: (url, init) => {
      const body = JSON.parse(init?.body as string) as JsonObject;
      bodies.push(body);
      const refused = refusing(body);
      return refused === undefined ? globalThis.fetch(url, init) : Promise.resolve(refused);
    },
  });
  return { host: await openTestHost({ model }), bodies };
}

/** Streams one typed turn that is answered with that text. */
async function ask(wire: Wire, answer: object, asked = spec) {
  const { host, bodies } = await openWire(wire);
  const call = { name: reserve(asked).toolName, arguments: JSON.stringify(answer) };
  mock.onMessage("list it", { toolCalls: [call] }, { chunkSize: 5 });
  const run = await host.runtime.prepare(host.facts);
  const events: OutputStreamEvent<JsonValue>[] = [];
  const options = { elements: "/rows", memory: createLadderMemory() };
  for await (const event of await run.stream(asked, "list it", options)) events.push(event);
  return { events, bodies, result: events.at(-1) };
}

const every = [openai, chat, anthropic, compatible, google];

// O4, O33, cases 11, 14 to 16, 85 and 87
describe.each(every)("a typed turn over the $kind wire", (wire) => {
  test("tells elements while the answer comes, and ends with the checked value", async () => {
    const { events, result } = await ask(wire, { title: "Three", rows: [1, 2, 3] });
    expect(result).toMatchObject({
      type: "result",
      attempt: { status: "accepted", value: { title: "Three", rows: [1, 2, 3] } },
    });
    const elements = events.flatMap((event) => (event.type === "element" ? [event.value] : []));
    expect(elements).toEqual([1, 2, 3]);
    expect(events.some(({ type }) => type === "partial")).toBe(true);
  });

  test("refuses an answer that the author's schema refuses, whatever the provider was shown", async () => {
    const { host } = await openWire(wire);
    const call = { name: toolName, arguments: '{"title":"None","rows":[0]}' };
    mock.onMessage("list it", { toolCalls: [call] });
    const run = await host.runtime.prepare(host.facts);
    const attempt = await run.output(spec, "list it", { attempts: 1, memory: createLadderMemory() });
    expect(attempt).toMatchObject({ status: "mismatch", issues: [{ pointer: "/rows/0" }] });
  });
});

function refusal(status: number, message: string, param: string | null = null): Response {
  const error = { message, type: "invalid_request_error", param };
  return Response.json({ type: "error", error }, { status });
}

// cases 23 and 25
describe("what the provider refuses", () => {
  const call = { name: toolName, arguments: '{"title":"One","note":null,"rows":[1]}' };

  test("a strict schema beside tools is sent once more, not strict, and the turn goes on", async () => {
    const isStrict = (body: JsonObject) => JSON.stringify(body["tools"]).includes('"strict":true');
    const { host, bodies } = await openWire(openai, (body) =>
      isStrict(body) ? refusal(400, `Invalid schema for function '${toolName}'.`) : undefined,
    );
    mock.onMessage("list it", { toolCalls: [call] });
    const run = await host.runtime.prepare(host.facts);
    const memory = createLadderMemory();
    const attempt = await run.output(spec.withTools(), "list it", { memory });
    expect(attempt).toMatchObject({
      status: "accepted",
      value: { title: "One", rows: [1] },
      plan: { strict: false, degradations: [{ reason: "strict" }] },
    });
    expect(bodies.map(isStrict)).toEqual([true, false]);
  });

  test.each([
    [
      "with the status of what is not there, as a gateway says it",
      404,
      "No endpoints support 'tool_choice'.",
      null,
    ],
    ["by the parameter alone", 400, "Unsupported value: 'required'.", "tool_choice"],
  ] as const)("a tool choice, %s", async (_how, status, message, param) => {
    const { host, bodies } = await openWire(compatible, ({ tool_choice }) =>
      tool_choice === "required" ? refusal(status, message, param) : undefined,
    );
    mock.onMessage("answer now", { toolCalls: [{ ...call, arguments: '{"title":"One","rows":[1]}' }] });
    const run = await host.runtime.prepare(host.facts);
    const attempt = await run.output(spec, "list it", { memory: createLadderMemory() });
    expect(attempt).toMatchObject({ status: "accepted", plan: { rung: "auto" } });
    expect(bodies.map(({ tool_choice }) => tool_choice)).toEqual(["required", "auto"]);
  });
});

describe("what the provider is shown of the schema", () => {
  test.each([openai, chat])("$kind: a format is strict only where the schema was made so", async (wire) => {
    const loose = defineOutput<JsonValue>({
      name: "listing",
      description: "What is there.",
      schema: { type: "object", properties: { deep: nested(12) } },
      naming: "stable",
    });
    const formatOf = async (asked: typeof spec) => {
      const { host, bodies } = await openWire(wire, () => refusal(400, "no"));
      const run = await host.runtime.prepare(host.facts);
      await run.output(asked, "list it", { strategy: "native", memory: createLadderMemory() });
      const { text, response_format } = bodies[0] as Record<string, any>;
      return { ...bodies[0], format: text?.format ?? response_format.json_schema };
    };
    expect(await formatOf(spec)).toMatchObject({ format: { name: toolName, strict: true } });
    const { description, schema: written } = loose;
    expect(await formatOf(loose)).toMatchObject({
      ...(wire === openai && { store: false }),
      format: { description, schema: written, strict: false },
    });
  });

  test("OpenAI: strict, closed, every property asked for, what may be left out may be null", async () => {
    const { bodies, result } = await ask(openai, { title: "One", note: null, rows: [1] });
    expect(bodies[0]).toMatchObject({
      tools: [
        {
          name: toolName,
          strict: true,
          parameters: {
            additionalProperties: false,
            required: ["title", "note", "rows"],
            properties: { note: { type: ["string", "null"] }, rows: { items: { minimum: 1 } } },
          },
        },
      ],
      tool_choice: { type: "function", name: toolName },
    });
    // what the model could not leave out is left out of the value
    expect(result).toMatchObject({ attempt: { status: "accepted", value: { title: "One", rows: [1] } } });
  });

  test("Anthropic: strict and closed, limits in the description, what may be left out stays so", async () => {
    const { bodies } = await ask(anthropic, { title: "One", rows: [1] });
    const [tool] = bodies[0]!["tools"] as [{ strict: boolean; input_schema: JsonObject }];
    expect(tool.strict).toBe(true);
    expect(tool.input_schema).toMatchObject({
      additionalProperties: false,
      required: ["title", "rows"],
      properties: { rows: { items: { description: expect.stringContaining("1") } } },
    });
    expect(JSON.stringify(tool.input_schema)).not.toMatch(/"(minimum|minLength|maxLength)":/);
  });

  test("Google: what its package would leave out without a word stands in the description", async () => {
    const { bodies } = await ask(google, { title: "One", rows: [1] });
    const [{ functionDeclarations }] = bodies[0]!["tools"] as [{ functionDeclarations: JsonObject[] }];
    const parameters = functionDeclarations[0]!["parameters"] as JsonObject;
    expect(parameters).toMatchObject({
      required: ["title", "rows"],
      properties: {
        note: { type: "string", minLength: 2, description: expect.stringContaining("80") },
        rows: { items: { type: "integer", description: expect.stringContaining("1") } },
      },
    });
  });

  test("an endpoint that copies OpenAI's wire: the schema as it was written", async () => {
    const { bodies } = await ask(compatible, { title: "One", rows: [1] });
    const [tool] = bodies[0]!["tools"] as [{ function: JsonObject }];
    expect(tool.function).toMatchObject({ name: toolName, parameters: schema });
    expect(tool.function).not.toHaveProperty("strict");
  });

  test("a schema beyond the provider's limits: as it was written, and not strict", async () => {
    const names = Array.from({ length: 25 }, (_, index) => `option_${index}`);
    const options = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    const wide: JsonObject = {
      ...schema,
      properties: { ...(schema["properties"] as JsonObject), ...options },
    };
    const asked = defineOutput<JsonValue>({
      name: "listing",
      description: "",
      schema: wide,
      naming: "stable",
    });
    const { bodies, result } = await ask(anthropic, { title: "One", rows: [1] }, asked);
    const [tool] = bodies[0]!["tools"] as [JsonObject];
    expect(tool).toMatchObject({ input_schema: wide });
    expect(tool).not.toHaveProperty("strict");
    expect(result).toMatchObject({ attempt: { status: "accepted" } });
  });
});
