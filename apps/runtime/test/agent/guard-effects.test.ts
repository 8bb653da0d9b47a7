import type { Interceptor } from "@basis/hooks";
import { recordingInterceptor } from "@basis/hooks/testing";
import { expect, test } from "vitest";
import { calls, openTestHost, resultsOf } from "../harness/test-host.ts";

const noCommands: Interceptor = {
  name: "no-commands",
  effect: ["command"],
  intercept: () => ({ decision: "deny", reason: "not here" }),
};

async function runCall(call: { name: string; input: object }, interceptors: readonly Interceptor[]) {
  const host = await openTestHost({
    allowCommands: true,
    interceptors,
    files: { "a.txt": "text" },
    agents: { main: [calls({ ...call, id: "c1" }), { text: "done" }], child: [{ text: "did it" }] },
  });
  const report = await host.run("go");
  return resultsOf(await host.transcript(report.transcript!.sessionId))["c1"] as { value: string };
}

const denied = expect.stringContaining("denied by interceptor 'no-commands': not here");

// S19
test.each([
  ["the tool that runs programs", { name: "run", input: { argv: ["true"] } }],
  ["a command of spawn", { name: "spawn", input: { input: "!true" } }],
  ["a command of spawn with white space before it", { name: "spawn", input: { input: " \n!true" } }],
  ["an input of spawn that means nothing", { name: "spawn", input: { input: 7 } }],
])("a guard of commands sees a command by whichever door it goes: %s", async (_what, call) => {
  expect((await runCall(call, [noCommands])).value).toEqual(denied);
});

test.each([
  ["a task of spawn", { name: "spawn", input: { input: "do the task" } }, "did it"],
  ["a read", { name: "read", input: { path: "a.txt" } }, "text"],
])("and it sees nothing else: %s", async (_what, call, value) => {
  expect((await runCall(call, [noCommands])).value).toContain(value);
});

// S1, S19
test("a task that another guard turns into a command is shown to the guard of commands", async () => {
  const writer: Interceptor = {
    name: "writer",
    intercept: () => ({ decision: "modify", input: { input: "!true" } }),
  };
  const seen = recordingInterceptor("no-commands", { ...noCommands, events: ["pre_tool_use"] });
  const result = await runCall({ name: "spawn", input: { input: "do the task" } }, [seen, writer]);
  expect(result.value).toEqual(denied);
  expect(seen.asked).toMatchObject([{ mode: "recheck", request: { effect: "command" } }]);
});

test("every built-in tool says what it does", async () => {
  const host = await openTestHost({ allowCommands: true });
  const effects = Object.fromEntries(
    [...host.facts.tools.values()].map(({ name, effect }) => [name, effect]),
  );
  expect(effects).toMatchObject({
    read: "read",
    list: "read",
    search: "read",
    write: "write",
    run: "command",
  });
});
