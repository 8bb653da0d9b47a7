import { Client as Client2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { defineOutput, type Validate } from "../../src/index.ts";
import { specOfTool, toolOutput } from "../../src/mcp/index.ts";

const facts = { name: "test", version: "1.0.0" };
const outputSchema = {
  type: "object" as const,
  properties: { sum: { type: "integer" } },
  required: ["sum"],
  additionalProperties: false,
};
const text = (words: string) => ({ content: [{ type: "text", text: words }] });

const answers: Readonly<Record<string, object>> = {
  typed: { ...text("3"), structuredContent: { sum: 3 } },
  wrong: { ...text("?"), structuredContent: { sum: "three" } },
  old: text('{"sum": 4}'),
  fenced: text('```json\n{"sum": 5}\n```'),
  prose: text("The sum is 3."),
  cut: text('{"sum": '),
  several: { content: [...text("{}").content, ...text("{}").content] },
  empty: { content: [] },
  failing: { ...text("no such number"), isError: true },
};

/** A client of each major, on a server of its own inside the process. */
const clients = [
  ["@modelcontextprotocol/sdk 1", () => new Client1(facts)],
  ["@modelcontextprotocol/client 2", () => new Client2(facts) as unknown as Client1],
] as const;

async function connect(make: () => Client1): Promise<Client1> {
  const server = new Server(facts, { capabilities: { tools: {} } });
  const listed = Object.keys(answers).map((name) => ({ name, inputSchema: { type: "object" as const } }));
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: [...listed.filter(({ name }) => name !== "typed"), { ...listed[0]!, outputSchema }],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const answer = answers[params.name];
    if (answer === undefined) throw new Error("the server broke");
    return answer;
  });
  const client = make();
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  await client.connect(here);
  return client;
}

const spec = defineOutput<{ sum: number }>({ name: "sum", description: "A sum.", schema: outputSchema });

describe.each(clients)("typed output of a tool of %s", (_name, make) => {
  it.each([
    ["typed", { status: "accepted", value: { sum: 3 }, normalized: false }],
    ["old", { status: "accepted", value: { sum: 4 }, normalized: false }],
    ["fenced", { status: "accepted", value: { sum: 5 }, normalized: true, notes: [{ kind: "code_fence" }] }],
    [
      "wrong",
      { status: "mismatch", at: "schema", issues: [{ pointer: "/sum" }], candidate: { sum: "three" } },
    ],
    ["prose", { status: "mismatch", at: "parse", candidate: "The sum is 3." }],
    ["cut", { status: "mismatch", at: "parse", issues: [{ message: "the answer is cut off" }] }],
    ["several", { status: "missing", text: "{}{}" }],
    ["empty", { status: "missing", text: "" }],
    ["failing", { status: "tool_error", text: "no such number" }],
    ["gone", { status: "failed", error: { message: expect.stringContaining("the server broke") } }],
  ])("%s", async (name, expected) => {
    const client = await connect(make);
    expect(await toolOutput(client.callTool({ name, arguments: {} }), spec)).toMatchObject(expected);
    await client.close();
  });

  it("takes the spec from the tool's own outputSchema", async () => {
    const client = await connect(make);
    const { tools } = await client.listTools();
    const own = specOfTool(tools.find(({ name }) => name === "typed")!);
    expect(await toolOutput(client.callTool({ name: "typed" }), own)).toMatchObject({ value: { sum: 3 } });
    const untyped = tools.find(({ name }) => name === "old")!;
    expect(() => specOfTool(untyped)).toThrow("'old' has no outputSchema: define an output of your own");
    await client.close();
  });
});

describe("typed output of a tool", () => {
  const answered = { content: [], structuredContent: { sum: 3 } };

  it("may be a number that stands alone: a result comes whole", async () => {
    const count = defineOutput<number>({
      name: "count",
      description: "A count.",
      schema: { type: "integer" },
    });
    expect(await toolOutput(text("12"), count)).toMatchObject({
      status: "accepted",
      value: 12,
      normalized: true,
    });
    expect(await toolOutput(text("1.5"), count)).toMatchObject({ status: "mismatch" });
  });

  it("is checked by the caller as well, and decoded", async () => {
    const odd: Validate = () => ({ decision: "reject", message: "must be even" });
    const rejected = await toolOutput(answered, spec, { validate: odd });
    expect(rejected).toEqual({ status: "rejected", reason: "must be even", candidate: { sum: 3 } });
    const broken = await toolOutput(answered, spec, { validate: () => Promise.reject(new Error("down")) });
    expect(broken).toMatchObject({ status: "failed", error: { code: "validator_failed" } });
    const schema = z.object({ sum: z.number() }).transform(({ sum }) => sum * 2);
    const jsonSchema = { type: "object", properties: { sum: { type: "number" } } } as const;
    const doubled = defineOutput({ name: "sum", description: "A sum.", schema, jsonSchema });
    expect(await toolOutput(answered, doubled)).toMatchObject({ status: "accepted", value: 6 });
  });

  it("is not waited for once the caller has cancelled", async () => {
    const controller = new AbortController();
    const waiting = toolOutput(new Promise(() => undefined), spec, { signal: controller.signal });
    controller.abort();
    expect(await toolOutput(Promise.reject(new Error("gone")), spec)).toMatchObject({ status: "failed" });
    expect(await waiting).toEqual({ status: "cancelled" });
  });

  it.each<[string, (abort: () => void) => Validate]>([
    ["answers at once", (abort) => (value) => (abort(), { decision: "accept", value })],
    ["answers later", (abort) => async (value) => (abort(), { decision: "accept", value })],
    ["rejects", (abort) => () => (abort(), { decision: "reject", message: "no" })],
    [
      "throws",
      (abort) => () => {
        abort();
        throw new Error("down");
      },
    ],
    ["never answers", (abort) => () => (abort(), new Promise(() => undefined))],
  ])("is cancelled, whatever a check says that cancels and then %s", async (_how, checking) => {
    const controller = new AbortController();
    const { signal } = controller;
    const validate = checking(() => controller.abort());
    expect(await toolOutput(answered, spec, { signal, validate })).toEqual({ status: "cancelled" });
    const accepting: Validate = (value) => ({ decision: "accept", value });
    const open = new AbortController().signal;
    expect(await toolOutput(answered, spec, { signal: open, validate: accepting })).toMatchObject({
      status: "accepted",
    });
  });

  it("is cancelled although its decoder answers that cancels, and asks no check of a cancelled call", async () => {
    const controller = new AbortController();
    const schema = z.object({ sum: z.number() }).transform(({ sum }) => (controller.abort(), sum));
    const jsonSchema = { type: "object", properties: { sum: { type: "number" } } } as const;
    const cancelling = defineOutput({ name: "sum", description: "A sum.", schema, jsonSchema });
    const { signal } = controller;
    expect(await toolOutput(answered, cancelling, { signal })).toEqual({ status: "cancelled" });
    const validate = vi.fn<Validate>((value) => ({ decision: "accept", value }));
    expect(await toolOutput(answered, spec, { signal, validate })).toEqual({ status: "cancelled" });
    expect(validate).not.toHaveBeenCalled();
    expect(await toolOutput(answered, spec, { validate })).toMatchObject({ status: "accepted" });
  });

  it.each([[undefined], ["text"], [{ content: "text" }], [{ toolResult: 1, content: null }]])(
    "is a failure where the client answers what is no result: %j",
    async (nonsense) => {
      const failed = await toolOutput(nonsense, spec);
      expect(failed).toMatchObject({
        status: "failed",
        error: { message: "the client answered no tool result" },
      });
    },
  );

  it("reads a server's schema with patterns that take linear time, and refuses one that is none (S39)", async () => {
    const word = { type: "string", pattern: "^(a+)+$" };
    const hostile = specOfTool({ name: "word", outputSchema: { type: "object", properties: { word } } });
    const long = { content: [], structuredContent: { word: `${"a".repeat(50_000)}!` } };
    expect(await toolOutput(long, hostile)).toMatchObject({ status: "mismatch", at: "schema" });
    const short = { content: [], structuredContent: { word: "aaa" } };
    expect(await toolOutput(short, hostile)).toMatchObject({ status: "accepted" });
    expect(() => specOfTool({ name: "odd", outputSchema: "an object" })).toThrow(/schema/);
  });
});
