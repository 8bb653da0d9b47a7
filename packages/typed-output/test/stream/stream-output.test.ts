import type { JsonObject, JsonValue } from "@basis/core";
import { describe, expect, it } from "vitest";
import { defineOutput, streamOutput, type OutputOptions, type TurnRunner } from "../../src/index.ts";
import { scriptedRunner } from "../../src/testing/index.ts";
import { total } from "../support/asking.ts";
import { list, partials, report, typesOf, watch } from "../support/watching.ts";

// O33
describe("streamOutput", () => {
  it("tells partial values that grow, and then the result", async () => {
    const { events } = await watch(report, [{ terminal: '{"title":"A long title","kind":"a"}' }]);
    const told = partials(events) as { title?: string }[];
    expect(told.length).toBeGreaterThan(2);
    expect(
      told
        .map(({ title = "" }) => title)
        .every((title, index, all) => index === 0 || title.startsWith(all[index - 1]!)),
    ).toBe(true);
    expect(told.at(-1)).toEqual({ title: "A long title", kind: "a" });
    expect(events.at(-1)).toMatchObject({ type: "result", attempt: { status: "accepted" } });
  });

  // case 85
  it("begins anew with a reset when an answer was not accepted", async () => {
    const { events } = await watch(total, [{ terminal: '{"total":"three"}' }, { terminal: '{"total":3}' }]);
    expect(typesOf(events)).toEqual(["reset", "result"]);
    const at = events.findIndex(({ type }) => type === "reset");
    expect(events[at]).toEqual({ type: "reset", attempt: 2 });
    expect(partials(events.slice(0, at)).at(-1)).toEqual({ total: "three" });
    expect(partials(events.slice(at)).at(-1)).toEqual({ total: 3 });
  });

  // case 87
  it("tells each element of a list once, whole, in order, and one that does not fit as such", async () => {
    const { events } = await watch(list, [{ terminal: '{"value":[{"n":1},{"n":"two"},{"n":3}]}' }], {
      attempts: 1,
    });
    expect(events.filter(({ type }) => type.endsWith("element"))).toEqual([
      { type: "element", index: 0, value: { n: 1 } },
      {
        type: "invalid_element",
        index: 1,
        value: { n: "two" },
        issues: [expect.objectContaining({ pointer: "/1/n", message: "expected integer, got string" })],
      },
      { type: "element", index: 2, value: { n: 3 } },
    ]);
    expect(events.at(-1)).toMatchObject({ attempt: { status: "mismatch" } });
  });

  it("tells the elements of a list inside the answer, before the answer is whole", async () => {
    const { events } = await watch(
      report,
      [{ terminal: '{"rows":[{"n":1},{"n":2}],"title":"long enough"}' }],
      { elements: "/rows" },
    );
    const last = events.findLastIndex(({ type }) => type === "element");
    expect(events[last]).toEqual({ type: "element", index: 1, value: { n: 2 } });
    expect(partials(events.slice(last + 1)).length).toBeGreaterThan(0);
  });

  // case 88
  it("never shows a partial to the host's validator", async () => {
    const seen: JsonValue[] = [];
    const validate: OutputOptions["validate"] = (value) => {
      seen.push(value);
      return { decision: "accept", value };
    };
    await watch(report, [{ terminal: '{"title":"A long title"}' }], { validate });
    expect(seen).toEqual([{ title: "A long title" }]);
  });

  // case 89
  it.each([
    ["an unknown property", '{"other":1,"title":"never read to its end"}'],
    ["a wrong choice", '{"kind":"c","title":"never read to its end"}'],
  ])("ends a reply early that is lost by %s, which counts as an attempt", async (_what, terminal) => {
    const { events, runner } = await watch(report, [{ terminal }, { terminal: '{"title":"x"}' }], {
      stopDoomed: true,
    });
    expect(typesOf(events)).toEqual(["reset", "result"]);
    const [told] = partials(events).filter((value) => JSON.stringify(value).includes("to its end"));
    expect(told).toBeUndefined();
    expect(events.at(-1)).toMatchObject({
      attempt: { status: "accepted", attempts: [{ verdict: "mismatch" }, { verdict: "accepted" }] },
    });
    expect(runner.requests).toHaveLength(2);
  });

  it("judges by itself a later call that has the id of one which was ended", async () => {
    const call = (input: string) => ({ calls: [{ id: "call_0", name: "$output", input }] });
    const rounds = [call('{"other":1,"title":"never read"}'), call('{"title":"x"}')];
    const { events } = await watch(report, rounds, { stopDoomed: true });
    expect(events.at(-1)).toMatchObject({ attempt: { status: "accepted", value: { title: "x" } } });
  });

  it("lets a reply go on that a normaliser may still save", async () => {
    const terminal = '{"title":"x","rows":"[{\\"n\\":1}]"}';
    const { events } = await watch(report, [{ terminal }], { stopDoomed: true });
    expect(events.at(-1)).toMatchObject({
      attempt: { status: "accepted", value: { title: "x", rows: [{ n: 1 }] } },
    });
  });

  // case 90
  it("cancels the run when its reader leaves, and still settles the result", async () => {
    const stream = streamOutput(
      scriptedRunner([{ terminal: '{"title":"A very long title"}' }], { pieces: 1 }),
      report,
      "Go.",
    );
    for await (const event of stream) if (event.type === "partial") break;
    expect((await stream.result).status).toBe("cancelled");
    expect((await stream.result).report).toBeDefined();
  });

  it("settles the result although nobody reads", async () => {
    const stream = streamOutput(
      scriptedRunner([{ terminal: '{"title":"x"}' }], { pieces: 1 }),
      report,
      "Go.",
    );
    expect((await stream.result).status).toBe("accepted");
  });

  // case 91
  it.each<[string, TurnRunner["run"]]>([
    ["before the first piece", () => Promise.reject(new Error("reset by peer"))],
    [
      "in the middle of a reply",
      async ({ gate }) => {
        gate.offer();
        gate.delta({ toolCallId: "c", toolName: gate.toolName, input: '{"title":"half' });
        throw new Error("reset by peer");
      },
    ],
  ])("settles the result as failed when the stream breaks %s", async (_when, run) => {
    const { capabilities } = scriptedRunner([]);
    const events: string[] = [];
    const stream = streamOutput({ capabilities, run }, report, "Go.");
    for await (const event of stream) events.push(event.type);
    expect(events.at(-1)).toBe("result");
    expect(await stream.result).toMatchObject({ status: "failed", error: new Error("reset by peer") });
  });

  it("gives the elements and the result at the end when the host hands over no pieces", async () => {
    const { events } = await watch(report, [{ terminal: '{"title":"x"}' }], { host: { pieces: 1_000_000 } });
    expect(events.map(({ type }) => type)).toEqual(["partial", "result"]);
    const runner = scriptedRunner([{ terminal: '{"title":"x","rows":[{"n":1},{"n":2}]}' }]);
    const silent: string[] = [];
    for await (const event of streamOutput(runner, report, "Go.", { elements: "/rows" }))
      silent.push(event.type);
    expect(silent).toEqual(["element", "element", "result"]);
  });

  it("watches an answer that is given as text, and of several calls in a round the first", async () => {
    const native = { host: { capabilities: { tools: false, native: "alone" as const } } };
    const text = await watch(report, [{ text: '{"title":"as text"}' }], native);
    expect(partials(text.events).at(-1)).toEqual({ title: "as text" });
    const call = (title: string) => ({ name: "$output", input: { title } });
    const two = await watch(report, [{ calls: [call("first"), call("second")] }]);
    expect(partials(two.events).at(-1)).toEqual({ title: "first" });
  });

  it("tells of a lowered answer the members that are whole, as the author's schema has them", async () => {
    const spec = defineOutput<JsonObject>({
      name: "x",
      description: "",
      schema: {
        type: "object",
        properties: {
          labels: { type: "object", additionalProperties: { type: "string" } },
          end: { type: "string" },
        },
      },
    });
    const terminal =
      '{"labels":{"entries":[{"key":"a","value":"b"}]},"end":"a text that is long enough to be told of"}';
    const { events } = await watch(spec, [{ terminal }], { host: { capabilities: { dialect: "openai" } } });
    expect(partials(events)).toContainEqual({ labels: { a: "b" } });
    expect(JSON.stringify(partials(events))).not.toContain("entries");
    expect(events.at(-1)).toMatchObject({ attempt: { status: "accepted" } });
  });

  it("lets an answer that is given as text go on, since a cut text is no candidate", async () => {
    const host = { capabilities: { tools: false, native: "alone" as const } };
    const rounds = [{ text: '{"other":1,"title":"x"}' }, { text: '{"title":"x"}' }];
    const { events } = await watch(report, rounds, { stopDoomed: true, host });
    expect(events.at(-1)).toMatchObject({
      attempt: { status: "accepted", attempts: [{ verdict: "mismatch" }, {}] },
    });
  });

  it("serves readers that ask side by side, each event once", async () => {
    const stream = streamOutput(scriptedRunner([{ terminal: '{"title":"x"}' }]), report, "Go.");
    const iterator = stream[Symbol.asyncIterator]();
    const [first, second] = await Promise.all([iterator.next(), iterator.next()]);
    expect([first.done, second.done]).toEqual([false, true]);
  });

  it("refuses what is no runner or no spec, and elements that are no pointer", () => {
    expect(() => streamOutput({} as TurnRunner, report, "Go.")).toThrow(TypeError);
    for (const subject of [undefined, { type: "object" }])
      expect(() => streamOutput(scriptedRunner([]), subject as never, "Go.")).toThrow(
        /the spec is none that/,
      );
    expect(() => streamOutput(scriptedRunner([]), report, "Go.", { elements: "rows" })).toThrow(
      /JSON pointer/,
    );
  });
});
