import { describe, expect, test } from "vitest";
import { createPromptBuilder, toCallOptions } from "../../src/providers/provider-prompt.ts";
import type { ModelRequest } from "../../src/providers/model.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { calls, openTestHost, stateKinds } from "../harness/test-host.ts";

const agents = {
  main: [
    {
      text: "I look.",
      ...calls(
        { name: "read", input: { path: "a.txt", lines: 3, from: 1 }, id: "c1" },
        { name: "probe", input: { value: "ü \u{1f600}", count: 2 }, id: "c2" },
      ),
    },
    { text: "done" },
    [{ when: { session: "branch" }, text: "left" }, { text: "right" }],
  ],
};
const files = { "a.txt": "one\ntwo\nthree", "AGENTS.md": "Say please." };

/** The bytes that a provider package is given for a request: head, then every message. */
function bytesOf(request: ModelRequest): { readonly head: string; readonly messages: readonly string[] } {
  const builder = createPromptBuilder("v3");
  const { prompt, tools, toolChoice } = toCallOptions(request, builder.build(request));
  const [system, ...messages] = prompt.map((message) => JSON.stringify(message));
  return { head: JSON.stringify([system, tools, toolChoice]), messages };
}

// D38, F106
describe.each(stateKinds)("a fork's first request, with the state in %s", (state) => {
  const forked = async () => {
    const host = await openTestHost({ state, agents, files, tools: [probeTool("probe")] });
    await host.run("go", { member: "trunk" });
    const fork = await host.runtime.fork("trunk", {
      identity: "branch",
      role: "main",
      launchMode: "fresh",
    });
    return { host, fork };
  };

  test("has the bytes of the last request of its source, then its own", async () => {
    const { host, fork } = await forked();
    await host.run("and now?", { sessionId: fork.sessionId });
    const [, last, first] = host.models.requests.map(bytesOf);
    expect(first!.head).toBe(last!.head);
    expect(first!.messages.slice(0, last!.messages.length)).toEqual(last!.messages);
    expect(first!.messages.length).toBe(last!.messages.length + 2);
  });

  test("grows from round to round by what was added alone", async () => {
    const { host, fork } = await forked();
    await host.run("and now?", { sessionId: fork.sessionId });
    const [first, second] = host.models.requests.map(bytesOf);
    expect(second!.messages.slice(0, first!.messages.length)).toEqual(first!.messages);
  });

  test("is the same whether its rows were just written or are read back", async () => {
    const { host, fork } = await forked();
    await host.run("and now?", { sessionId: fork.sessionId });
    const [, written] = host.models.requests;
    const rows = await host.transcript(fork.sessionId);
    expect(JSON.stringify(written!.messages)).toBe(JSON.stringify(rows.slice(0, written!.messages.length)));
  });

  test("has a request head that the fork inherits and does not write again", async () => {
    const { host, fork } = await forked();
    const { store } = host.state;
    const source = await store.head(fork.lineage.sessionId);
    expect(source.requestHead).toMatch(/^sha256:/);
    expect((await store.head(fork.sessionId)).requestHead).toBe(source.requestHead);
    await host.run("and now?", { sessionId: fork.sessionId });
    expect((await store.head(fork.sessionId)).requestHead).toBe(source.requestHead);
    const head = JSON.parse(Buffer.from((await store.blobs.get(source.requestHead!))!).toString());
    expect(head).toMatchObject({ model: { provider: "scripted", id: "main" } });
    expect(head.system).toContain("Say please.");
    expect(JSON.stringify(head)).not.toContain(source.id);
    expect(JSON.stringify(head)).not.toContain("trunk");
  });
});

test("the request head changes with what the agent has, and only then", async () => {
  const rounds = { main: [{ text: "one" }, { text: "two" }, { text: "three" }] };
  const host = await openTestHost({ agents: rounds });
  const { sessionId } = (await host.run("go")).transcript!;
  const head = async (): Promise<string | null> => (await host.state.store.head(sessionId)).requestHead;
  const first = await head();
  await host.run("go", { sessionId });
  expect(await head()).toBe(first);
  (host.facts.tools as Map<string, unknown>).set("probe", probeTool("probe"));
  await host.run("go", { sessionId });
  expect(await head()).not.toBe(first);
});
