import type { JsonValue } from "@basis/core";
import { createLadderMemory, defineOutput, reserve, type OutputStreamEvent } from "@basis/typed-output";
import { afterEach, expect, test } from "vitest";
import { openModel } from "../../src/providers/open-model.ts";
import { hurriedClock, until } from "../providers/rounds.ts";
import {
  addToBlock,
  anthropicEvent,
  endBlock,
  endMessage,
  messageStart,
  startBlock,
  startStream,
  WireServer,
  type WireAnswer,
} from "../providers/wire-server.ts";
import { calls, openTestHost, resultsOf } from "../harness/test-host.ts";

const servers: WireServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const spec = defineOutput<JsonValue>({
  name: "listing",
  description: "",
  schema: {
    type: "object",
    properties: { kind: { enum: ["a", "b"] }, rows: { type: "array", items: { type: "integer" } } },
    required: ["rows"],
    additionalProperties: false,
  },
  naming: "stable",
});
const { toolName } = reserve(spec);

/** An answer that calls the terminal tool with these pieces, and then goes on as `end` says. */
function answering(id: string, pieces: readonly string[], end: WireAnswer): WireAnswer {
  return async (response, request) => {
    startStream(response);
    anthropicEvent(response, messageStart);
    startBlock(response, 0, { type: "tool_use", id, name: toolName, input: {} });
    for (const partial_json of pieces) {
      addToBlock(response, 0, { type: "input_json_delta", partial_json });
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await end(response, request);
  };
}

const inOrder: WireAnswer = (response) => {
  endBlock(response, 0);
  endMessage(response, "tool_use");
};

async function open(...answers: readonly WireAnswer[]) {
  const server = new WireServer(...answers);
  servers.push(server);
  const baseUrl = await server.listen();
  const model = openModel("wire/claude-sonnet-4-5", {
    env: { WIRE_API_KEY: "test-key" },
    providers: { wire: { kind: "anthropic", baseUrl, keyVariable: "WIRE_API_KEY" } },
    clock: hurriedClock,
    random: () => 0,
  });
  return { server, host: await openTestHost({ model }) };
}

type Host = Awaited<ReturnType<typeof openTestHost>>;

async function read(host: Host, options: { elements?: string; stopDoomed?: boolean }) {
  const run = await host.runtime.prepare(host.facts);
  const events: OutputStreamEvent<JsonValue>[] = [];
  const stream = await run.stream(spec, "list it", { memory: createLadderMemory(), ...options });
  for await (const event of stream) events.push(event);
  return { run, events, attempt: await stream.result };
}

const good = answering("good", ['{"rows":[1,', "2]}"], inOrder);

// case 89
test("an answer that is lost is ended early: the connection closes, the model is told, and it answers again", async () => {
  const lost = answering("lost", ['{"kind":"c",', '"rows":[1,'], () => undefined);
  const { server, host } = await open(lost, good);
  const { run, attempt } = await read(host, { stopDoomed: true });
  expect(attempt).toMatchObject({
    status: "accepted",
    value: { rows: [1, 2] },
    attempts: [{ verdict: "mismatch", issues: [{ pointer: "/kind" }] }, { verdict: "accepted" }],
  });
  await until(() => server.cutByClient === 1);
  const results = resultsOf(await host.transcript(run.sessionId));
  expect(Object.keys(results)).toEqual(["lost", "good"]);
  expect(results["lost"]).toMatchObject({ type: "error-text", value: expect.stringContaining("/kind") });
  // what the stopped answer would have used in the end, nobody was told
  expect(host.events.data("run_finished")).toMatchObject([
    { status: "completed", usage: { complete: false } },
  ]);
  const [, again] = server.requests.map(({ body }) => body);
  expect(again).toContain("unparsed_arguments");
});

test("without stopDoomed the same answer is read to its end, and its usage is known", async () => {
  const wrong = answering("lost", ['{"kind":"c",', '"rows":[1,2]}'], inOrder);
  const { server, host } = await open(wrong, good);
  const { attempt } = await read(host, {});
  expect(attempt).toMatchObject({ status: "accepted", attempts: [{ verdict: "mismatch" }, {}] });
  expect(server.cutByClient).toBe(0);
  expect(host.events.data("run_finished")).toMatchObject([{ usage: { complete: true } }]);
});

// case 85
test("an answer whose connection is lost is asked for once more, and its elements are told anew", async () => {
  const broken = answering("first", ['{"rows":[7,', "8,"], (response) => void response.destroy());
  const { server, host } = await open(broken, good);
  const { events, attempt } = await read(host, { elements: "/rows" });
  const told = events.flatMap((event) => {
    if (event.type === "reset") return [`reset ${event.attempt}`];
    return event.type === "element" ? [event.value] : [];
  });
  expect(told).toEqual([7, 8, "reset 1", 1, 2]);
  expect(attempt).toMatchObject({ status: "accepted", value: { rows: [1, 2] }, attempts: [{}] });
  expect(server.requests).toHaveLength(2);
  expect(host.events.data("retry")).toHaveLength(1);
});

test("a call whose id was used before is not followed, and is judged when it is whole", async () => {
  const pieces = ['{"kind":"c",', '"rows":[]}'];
  const followed = answering("good", pieces, () => undefined);
  const { server, host } = await open(followed, answering("good", pieces, inOrder), good);
  const { attempt } = await read(host, { stopDoomed: true });
  expect(attempt.attempts.map(({ verdict }) => verdict)).toEqual(["mismatch", "mismatch", "accepted"]);
  await until(() => server.cutByClient === 1);
});

// case 90
test("leaving the stream cancels the turn and rolls it back", async () => {
  const open_ = answering("open", ['{"rows":[1,', "2,", "3,"], () => undefined);
  const { server, host } = await open(open_);
  const run = await host.runtime.prepare(host.facts);
  const stream = await run.stream(spec, "list it", { elements: "/rows", memory: createLadderMemory() });
  for await (const event of stream) if (event.type === "element") break;
  expect(await stream.result).toMatchObject({ status: "cancelled" });
  expect(host.events.data("run_finished")).toMatchObject([{ status: "cancelled" }]);
  await until(() => server.cutByClient === 1);
});

test("a path that leads to no list is refused before anything is asked", async () => {
  const { server, host } = await open(good);
  const { attempt: refused } = await read(host, { elements: "/nope" });
  expect(refused).toMatchObject({
    status: "failed",
    error: { code: "definition_error", message: expect.stringContaining("/nope") },
  });
  const run = await host.runtime.prepare(host.facts);
  await expect(run.stream(spec, "list it", { elements: "rows" })).rejects.toThrow(/JSON pointer/);
  expect(server.requests).toHaveLength(0);
  // the control
  const { attempt } = await read(host, { elements: "/rows" });
  expect(attempt.status).toBe("accepted");
});

test("a scripted model streams too", async () => {
  const answer = (rows: unknown) => calls({ name: "$output", input: { rows } });
  const lost = calls({ name: "$output", input: { kind: "c", rows: [] } });
  const host = await openTestHost({ agents: { main: [lost, answer([4])] } });
  const { events, attempt } = await read(host, { elements: "/rows", stopDoomed: true });
  expect(events.flatMap((event) => (event.type === "element" ? [event.value] : []))).toEqual([4]);
  expect(attempt).toMatchObject({ status: "accepted", attempts: [{ verdict: "mismatch" }, {}] });
});

// case 83
test("a number is judged with every digit that the model wrote, though the row keeps fewer", async () => {
  const written = (cents: string) => ({ calls: [{ name: "$output", input: `{"cents":${cents}}` }] });
  const schema = { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] };
  const bill = defineOutput<JsonValue>({ name: "bill", description: "", schema });
  const rounds = [written("1.0000000000000000000001"), written("1.000")];
  const host = await openTestHost({ agents: { main: rounds } });
  const run = await host.runtime.prepare(host.facts);
  expect(await run.output(bill, "how much?", { memory: createLadderMemory() })).toMatchObject({
    status: "accepted",
    value: { cents: 1 },
    attempts: [{ verdict: "mismatch", issues: [{ keyword: "precision" }] }, { verdict: "accepted" }],
  });
});
