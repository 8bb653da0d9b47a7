import { emptyUsage } from "@basis/core";
import { describe, expect, test } from "vitest";
import type { ModelMessage, ModelRequest, ToolDefinition } from "../../src/providers/model.ts";
import type { ScriptedAgent } from "../../src/providers/scripted-file.ts";
import { scriptedModel } from "../../src/providers/scripted-model.ts";
import { ofType, requestOf, runRound, said, type Outcome } from "./rounds.ts";

const user: ModelMessage = { role: "user", content: "hello" };

function play(rounds: ScriptedAgent["rounds"], change: Partial<ModelRequest> = {}): Promise<Outcome> {
  const script = { file: "demo.json", content: { schema: 1 as const, agents: { main: { rounds } } } };
  return runRound(scriptedModel(script), requestOf(change));
}

async function textOf(rounds: ScriptedAgent["rounds"], change: Partial<ModelRequest> = {}): Promise<string> {
  const { events, error } = await play(rounds, change);
  if (error !== undefined) throw error;
  return ofType(events, "text")
    .map((event) => event.delta)
    .join("");
}

const output = (name: string): ToolDefinition => ({ name, description: "", inputSchema: { type: "object" } });

describe("a scripted round", () => {
  test("says its text, makes its calls and ends with the row to store", async () => {
    const { events } = await play([
      {
        text: "Reading.",
        calls: [
          { name: "read", input: { path: "a" } },
          { id: "mine", name: "run", input: '{"argv": [' },
        ],
        usage: { inputTokens: 12 },
      },
    ]);
    expect(events).toEqual([
      { type: "text", delta: "Reading." },
      { type: "tool_call", call: { toolCallId: "call_0_0", toolName: "read", input: '{"path":"a"}' } },
      { type: "tool_call", call: { toolCallId: "mine", toolName: "run", input: '{"argv": [' } },
      {
        type: "finish",
        finishReason: "tool_calls",
        usage: { ...emptyUsage, inputTokens: 12 },
        message: {
          role: "assistant",
          content: [
            { type: "text", text: "Reading." },
            { type: "tool-call", toolCallId: "call_0_0", toolName: "read", input: { path: "a" } },
            { type: "tool-call", toolCallId: "mine", toolName: "run", input: '{"argv": [' },
          ],
        },
      },
    ]);
  });

  test("ends as it says, and with stop when it calls nothing", async () => {
    const reasons = await Promise.all(
      [{ text: "x" }, { text: "x", finish: "length" as const }].map((round) => play([round])),
    );
    expect(reasons.map(({ events }) => ofType(events, "finish")[0]?.finishReason)).toEqual([
      "stop",
      "length",
    ]);
  });

  test("fails as it says, after its text and with its tokens", async () => {
    const { events, error } = await play([
      { text: "Ha", error: { code: "overloaded" }, usage: { outputTokens: 1 } },
    ]);
    expect(events).toEqual([{ type: "text", delta: "Ha" }]);
    expect(error).toMatchObject({ code: "overloaded", usage: { outputTokens: 1 } });
    expect((await play([{ error: { code: "network", message: "gone" } }])).error).toMatchObject({
      code: "network",
      message: "gone",
    });
  });

  test("says nothing once it is aborted", async () => {
    const model = scriptedModel({
      file: "f",
      content: { schema: 1, agents: { main: { rounds: [{ text: "x" }] } } },
    });
    const { events, error } = await runRound(model, requestOf(), AbortSignal.abort(new Error("stop")));
    expect(events).toEqual([]);
    expect(error).toMatchObject({ message: "stop" });
  });
});

// D23
describe("the next round", () => {
  const rounds = [{ text: "zero" }, { text: "one" }, { text: "two" }];

  test("is the number of assistant rows, so that a resumed transcript goes on where it ends", async () => {
    const resumed = [user, said("zero"), user, said("one"), user];
    expect(await textOf(rounds)).toBe("zero");
    expect(await textOf(rounds, { messages: resumed })).toBe("two");
    expect(await textOf(rounds, { messages: resumed })).toBe("two");
  });

  test("is told apart for two branches by member name or session id", async () => {
    const branches = [
      [
        { when: { session: "left" }, text: "L" },
        { when: { session: "s-2" }, text: "R" },
      ],
    ];
    expect(await textOf(branches, { member: "left" })).toBe("L");
    expect(await textOf(branches, { member: "other", sessionId: "s-2" })).toBe("R");
  });

  test("is told apart by the newest user message and the results after it, not by older ones", async () => {
    const rounds = [[{ when: { contains: "hidden" }, text: "found" }, { text: "not found" }]];
    const texts = await Promise.all(
      [
        [{ role: "user", content: "the hidden one" }] as const,
        [{ role: "user", content: [{ type: "text", text: "hidden" }] }] as const,
        [user, toolRow("a hidden line")],
        [{ role: "user", content: "hidden" } as const, user],
      ].map((messages) => textOf(rounds, { messages })),
    );
    expect(texts).toEqual(["found", "found", "found", "not found"]);
  });

  test("must fit in everything its `when` names", async () => {
    const rounds = [[{ when: { session: "left", contains: "go" }, text: "both" }, { text: "else" }]];
    const go: ModelMessage = { role: "user", content: "go" };
    expect(await textOf(rounds, { member: "left", messages: [go] })).toBe("both");
    expect(await textOf(rounds, { member: "left" })).toBe("else");
    expect(await textOf(rounds, { member: "right", messages: [go] })).toBe("else");
  });

  test.each([
    ["past the last one", {}, [user, said("0")], "main", 1, "the agent has 1 rounds"],
    [
      "where no alternative fits",
      { when: { session: "x" } },
      [user],
      "main",
      0,
      "none of its 1 alternatives fits",
    ],
    ["of an agent that is not there", {}, [user], "toString", 0, "the file has no such agent (main)"],
  ])("is missed %s, naming file, agent and index", async (_case, round, messages, agent, index, why) => {
    const { events, error } = await play([round], { messages, agent, member: "alice" });
    expect(events).toEqual([]);
    expect(error).toMatchObject({
      code: "scripted_miss",
      retryable: false,
      message: `demo.json: no round ${index} for agent "${agent}" in session "alice": ${why}`,
      details: { file: "demo.json", agent, index, session: "alice" },
    });
  });
});

describe("the terminal tool", () => {
  const tools = [output("read"), output("basis_output_report_1a2b")];

  test("is called by its generated name, with the argument text as scripted", async () => {
    const { events } = await play([{ terminal: '{"ok": ' }], { tools });
    expect(ofType(events, "tool_call").map(({ call }) => call)).toEqual([
      { toolCallId: "call_0_0", toolName: "basis_output_report_1a2b", input: '{"ok": ' },
    ]);
    const named = await play([{ calls: [{ name: "$output", input: { ok: true } }] }], { tools });
    expect(ofType(named.events, "tool_call")[0]?.call).toMatchObject({
      toolName: "basis_output_report_1a2b",
      input: '{"ok":true}',
    });
  });

  test.each([
    ["none is offered", [output("read")]],
    ["two are offered", [...tools, output("basis_output_other_3c")]],
  ])("is missed when %s", async (_case, offered) => {
    const { error } = await play([{ terminal: "{}" }], { tools: offered });
    expect(error).toMatchObject({ code: "scripted_miss", message: expect.stringContaining("$output") });
  });
});

function toolRow(value: string): ModelMessage {
  const part = {
    type: "tool-result",
    toolCallId: "c",
    toolName: "read",
    output: { type: "json", value: { value } },
  };
  return { role: "tool", content: [part] } as ModelMessage;
}
