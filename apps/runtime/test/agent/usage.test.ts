import { describe, expect, test } from "vitest";
import { ModelError } from "../../src/providers/model-error.ts";
import { calls, openTestHost, stateKinds, type TestHost } from "../harness/test-host.ts";

const used = (inputTokens: number, outputTokens = 0) => ({ inputTokens, outputTokens });
const none = { cachedInputTokens: 0, reasoningTokens: 0 };

describe.each(stateKinds)("usage, with the state in %s", (state) => {
  const agents = {
    main: [
      { ...calls({ name: "spawn", input: { input: "look" } }), usage: used(10, 1) },
      { text: "done", usage: used(20, 2) },
    ],
    child: [
      { ...calls({ name: "list", input: {} }), usage: used(100, 10) },
      { text: "seen", usage: used(200, 20) },
    ],
  };

  test("of a child is in its parent's report, and each session holds its own", async () => {
    const host = await openTestHost({ state, agents, files: { "a.txt": "a" } });
    const report = await host.run("go");
    expect(report.usage).toEqual({ ...used(330, 33), ...none });
    const { items } = await host.state.store.listSessions();
    expect(items.map(({ usage }) => usage.own)).toEqual([
      { ...used(30, 3), ...none },
      { ...used(300, 30), ...none },
    ]);
    const [child, parent] = host.events.data("run_finished");
    expect(child!.usage).toMatchObject({ subtree: { input_tokens: 300 }, complete: true });
    expect(parent!.usage).toMatchObject({
      self: { input_tokens: 30 },
      subtree: { input_tokens: 330 },
      complete: true,
    });
  });

  test("of a round that failed is kept in the report and in the session", async () => {
    const failing = { text: "so far", usage: used(7, 3), error: { code: "server_error" as const } };
    const host = await openTestHost({ state, agents: { main: [failing] } });
    const report = await host.run("go");
    expect(report).toMatchObject({ outcome: "failed", usage: used(7, 3) });
    const { usage } = await host.state.store.head(report.transcript!.sessionId);
    expect(usage.own).toMatchObject(used(7, 3));
    expect(host.events.data("run_finished")[0]!.usage.complete).toBe(true);
  });
});

test("of a child that fails is its parent's too", async () => {
  const host = await openTestHost({
    agents: {
      main: [calls({ name: "spawn", input: { input: "look" }, id: "c1" }), { text: "done" }],
      child: [{ usage: used(5), error: { code: "server_error", message: "it broke" } }],
    },
  });
  const report = await host.run("go");
  expect(report).toMatchObject({ outcome: "completed", usage: used(5) });
  expect(host.events.data("child_finished")).toMatchObject([
    { status: "failed", usage: { self: { input_tokens: 5 } } },
  ]);
});

/** A model that fails every round with an error that tells nothing of tokens. */
async function failedAccount(code: "bad_request" | "network") {
  const details = code === "network" ? { reason: "cut" } : {};
  const host = await openTestHost({
    model: {
      ref: { provider: "scripted", id: "main" },
      capabilities: { forcedChoice: "named", nativeSchema: false },
      async *round() {
        yield { type: "text", delta: "so far" };
        throw new ModelError(code, "no", { details } as never);
      },
    },
  });
  await host.run("go");
  return host.events.data("run_finished")[0]!.usage;
}

test("is complete after a refusal, which uses nothing, and not after a connection that broke", async () => {
  expect((await failedAccount("bad_request")).complete).toBe(true);
  expect((await failedAccount("network")).complete).toBe(false);
});

test("is not complete when a round is cut off by a cancel", async () => {
  const host: TestHost = await openTestHost({
    agents: { main: [{ text: "never", usage: used(1) }] },
    onRequest: () => prepared.cancel(),
  });
  const prepared = await host.runtime.prepare(host.facts);
  await prepared.run("go");
  expect(host.events.data("run_finished")[0]!.usage.complete).toBe(false);
});
