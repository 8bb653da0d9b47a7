import { describe, expect, test } from "vitest";
import { readProbe } from "../harness/probe-tool.ts";
import { calls, openTestHost, stateKinds, type TestHost } from "../harness/test-host.ts";

describe.each(stateKinds)("a turn in words, with the state in %s", (state) => {
  test("commits the assistant's row before its tools run, and each result by itself", async () => {
    const lengths: number[] = [];
    const look = readProbe("look", { parallelSafe: () => false });
    const host: TestHost = await openTestHost({
      state,
      agents: { main: [calls({ name: "look", input: {} }, { name: "look", input: {} }), { text: "done" }] },
      tools: [
        {
          ...look,
          async execute(input, context) {
            lengths.push((await host.state.store.head(prepared.sessionId)).len);
            return look.execute(input, context);
          },
        },
      ],
    });
    const prepared = await host.runtime.prepare(host.facts);
    await prepared.run("go");
    expect(lengths).toEqual([2, 3]);
  });

  test("sends a round what the ones before it left, row by row", async () => {
    const host = await openTestHost({
      state,
      agents: { main: [calls({ name: "look", input: {}, id: "c1" }), { text: "done" }, { text: "again" }] },
      tools: [readProbe("look")],
    });
    const { sessionId } = (await host.run("go")).transcript!;
    await host.run("more", { sessionId });
    const roles = host.models.requests.map(({ messages }) => messages.map(({ role }) => role));
    expect(roles).toEqual([
      ["user"],
      ["user", "assistant", "tool"],
      ["user", "assistant", "tool", "assistant", "user"],
    ]);
    const rows = await host.transcript(sessionId);
    expect(host.models.requests.at(-1)!.messages).toEqual(rows.slice(0, -1));
  });

  test("reports the rows that are its own", async () => {
    const host = await openTestHost({ state, agents: { main: [{ text: "one" }, { text: "two" }] } });
    const first = await host.run("go");
    const { sessionId } = first.transcript!;
    const second = await host.run("more", { sessionId });
    expect([first.transcript, second.transcript]).toEqual([
      { sessionId, from: 0, to: 2 },
      { sessionId, from: 2, to: 4 },
    ]);
  });
});

test("an answer without any content is counted and not kept", async () => {
  const usage = { inputTokens: 5, outputTokens: 0 };
  const host = await openTestHost({ agents: { main: [{ usage }] } });
  const report = await host.run("go");
  expect(report).toMatchObject({ outcome: "completed", text: "", usage });
  const { sessionId } = report.transcript!;
  expect(await host.transcript(sessionId)).toEqual([{ role: "user", content: "go" }]);
  expect((await host.state.store.head(sessionId)).usage.own).toMatchObject(usage);
});

test.each([
  ["length", "cut off at the model's output limit"],
  ["content_filter", "withheld the rest"],
] as const)("an answer that ended by %s is said to have", async (finish, text) => {
  const host = await openTestHost({ agents: { main: [{ text: "half", finish }] } });
  expect(await host.run("go")).toMatchObject({ outcome: "completed", text: "half" });
  expect(host.events.data("notice")).toMatchObject([{ text: expect.stringContaining(text) }]);
});

// providers make {} of a call whose arguments never came
test.each([
  ["length", {}, 1],
  ["length", { value: "a" }, 2],
  ["tool_calls", {}, 2],
] as const)("of calls in an answer that ends by %s, the last with %j: %i run", async (finish, input, ran) => {
  const host = await openTestHost({
    agents: {
      main: [{ ...calls({ name: "look", input: {} }, { name: "look", input }), finish }, { text: "done" }],
    },
    tools: [readProbe("look")],
  });
  const { sessionId } = (await host.run("go")).transcript!;
  expect(host.events.types().filter((type) => type === "tool_started")).toHaveLength(ran);
  const told = (await host.transcript(sessionId)).filter(({ role }) => role === "tool");
  expect(told).toHaveLength(2);
  expect(JSON.stringify(told).includes("reached the model's output limit in this call")).toBe(ran === 1);
});

test("a failed round keeps what was said before it, and the session takes another turn", async () => {
  const host = await openTestHost({
    agents: {
      main: [
        { text: "I look.", ...calls({ name: "look", input: {} }) },
        [{ when: { contains: "again" }, text: "better" }, { error: { code: "server_error" } }],
      ],
    },
    tools: [readProbe("look")],
  });
  const failed = await host.run("go");
  expect(failed).toMatchObject({ outcome: "failed", text: "I look.", failure: { code: "server_error" } });
  const { sessionId } = failed.transcript!;
  expect(await host.state.store.head(sessionId)).toMatchObject({ runTurn: null, openCalls: [] });
  expect(await host.run("again", { sessionId })).toMatchObject({ outcome: "completed", text: "better" });
});

test("a prompt with half a character in it is kept with a mark in its place, and told so", async () => {
  const host = await openTestHost({ agents: { main: [{ text: "done" }] } });
  const report = await host.run("a\ud800b");
  expect((await host.transcript(report.transcript!.sessionId))[0]).toEqual({
    role: "user",
    content: "a\ufffdb",
  });
  expect(host.events.data("user_message")[0]!.text).toBe("a\ufffdb");
});
