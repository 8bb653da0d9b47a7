import { describe, expect, test } from "vitest";
import { tellLostChild } from "../../src/agent/children/lost-child.ts";
import type { Intent } from "../../src/store/host-ledger.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { calls, openTestHost, stateKinds, type TestHost } from "../harness/test-host.ts";

const spawn = calls({ name: "spawn", input: { input: "try it" }, id: "task" });
const usage = { inputTokens: 60, outputTokens: 40 };
const probe = (id: string) => ({ ...calls({ name: "probe", input: { value: id }, id }), usage });
const agents = {
  main: [spawn, { text: "done" }],
  child: [probe("one"), probe("two"), { text: "SECRET report", usage }],
};

/** A tree that has ended; its parent's intent stands for one whose result was never written. */
async function delegated(state: (typeof stateKinds)[number]): Promise<{ host: TestHost; intent: Intent }> {
  const host = await openTestHost({ agents, tools: [probeTool("probe")], state });
  const report = await host.run("go");
  const [intent] = await host.state.ledger.intentsOf(report.transcript!.sessionId);
  return { host, intent: intent! };
}

describe.each(stateKinds)("a child whose parent's process died, in %s", (state) => {
  test("is told by its session, what it had done and used, and by nothing that it wrote", async () => {
    const { host, intent } = await delegated(state);
    const { child_session: session } = host.events.data("child_started")[0]!;
    expect(await tellLostChild(host.state, intent)).toBe(
      `the subagent's session is ${session}; it had come to its end, but what it reported is lost; ` +
        "it had finished probe (2); it had used at least 300 tokens",
    );
  });

  test("is told with what it was at when it had not come to its end", async () => {
    const { host, intent } = await delegated(state);
    const { store, ledger, events } = host.state;
    const cut = {
      events,
      ledger: {
        intentsOf: async (id: string) =>
          (await ledger.intentsOf(id)).map(({ finishedAt, ...begun }) =>
            begun.toolCallId === "one" ? { ...begun, finishedAt: finishedAt! } : begun,
          ),
      },
      store: {
        ...store,
        listSessions: async (query: Parameters<typeof store.listSessions>[0]) => {
          const { items, next } = await store.listSessions(query);
          return { next, items: items.map((session) => ({ ...session, runTurn: "run-gone" })) };
        },
      },
    };
    expect(await tellLostChild(cut, intent)).toMatch(
      /is \S+; it had finished probe; whether probe took effect is unknown; it had used/,
    );
    const none = { ...cut, ledger: { intentsOf: () => Promise.resolve([]) } };
    expect(await tellLostChild(none, intent)).toContain(
      "finished no call that changes anything; it had used",
    );
  });

  test("is told as not begun while its session is empty", async () => {
    const { host, intent } = await delegated(state);
    const { store } = host.state;
    const spawnedBy = { sessionId: intent.sessionId, runId: intent.runId, callId: "next" };
    const { id } = await store.createSession({ member: "main.next", role: "next", spawnedBy });
    const next = { ...intent, toolCallId: "next" };
    expect(await tellLostChild(host.state, next)).toBe(`the subagent's session is ${id}; it had not begun`);
  });

  test("is not made up for calls that started none", async () => {
    const { host, intent } = await delegated(state);
    for (const other of [{ toolName: "run" }, { toolCallId: "another" }, { runId: "another" }])
      expect(await tellLostChild(host.state, { ...intent, ...other })).toBeUndefined();
  });
});
