import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { probeTool, type ProbeTool } from "../harness/probe-tool.ts";
import { calls } from "../harness/test-host.ts";
import { MemoryEditor, type Line } from "./support/memory-editor.ts";

const probe = (id: string) => calls({ name: "probe", input: { value: id }, id });

async function asked(...given: readonly ({ calls: any } | ProbeTool)[]) {
  const rounds = given.filter((one) => "calls" in one);
  const tool = given.find((one) => "ran" in one) ?? probeTool("probe");
  const editor = await MemoryEditor.open({
    agents: { main: [...rounds, { text: "over" }, { text: "over" }] },
    tools: [tool],
  });
  const session = await editor.session();
  return { tool, editor, session, prompted: editor.prompt(session), question: await editor.question() };
}

const optionOf = ({ params }: Line, kind: string): string =>
  params.options.find((option: { kind: string }) => option.kind === kind).optionId;
const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } });

// S10, S11, S12
describe("the answer of an editor", () => {
  test("that allows lets the call run whose digest the question carries, this once", async () => {
    const { tool, editor, session, prompted, question } = await asked(probe("one"), probe("two"));
    const told = question.params;
    expect(told).toMatchObject({
      sessionId: session,
      toolCall: {
        toolCallId: "one",
        title: "probe",
        kind: "edit",
        status: "pending",
        rawInput: { value: "one" },
      },
      options: [{ kind: "allow_once" }, { kind: "reject_once" }],
    });
    const [subject] = editor.host.approver.asked;
    expect(told._meta.basis).toMatchObject({ digest: subject!.digest, level: "local_state" });
    expect(optionOf(question, "allow_once")).toContain(subject!.digest);
    editor.send({ id: question.id, result: selected(optionOf(question, "allow_once")) });
    const second = await editor.question(2);
    expect(tool.ran).toEqual([{ value: "one" }]);
    editor.send({ id: second.id, result: selected(optionOf(second, "reject_once")) });
    expect(await editor.answerOf(prompted)).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(tool.ran).toEqual([{ value: "one" }]);
    const update = editor.updates().findLast(({ toolCallId }) => toolCallId === "two");
    expect(update).toMatchObject({ status: "failed", rawOutput: expect.stringContaining("refused") });
  });

  test.each<[string, (question: Line) => object]>([
    ["an option that there is not", () => ({ result: selected("allow_once") })],
    ["an option in other letters", (q) => ({ result: selected(optionOf(q, "allow_once").toUpperCase()) })],
    ["the question put away", () => ({ result: { outcome: { outcome: "cancelled" } } })],
    ["an outcome that there is not", () => ({ result: { outcome: { outcome: "approved" } } })],
    ["nothing", () => ({ result: {} })],
    ["null", () => ({ result: null })],
    ["a list", () => ({ result: ["allow_once"] })],
    ["an error", () => ({ error: { code: -32603, message: "the window is gone" } })],
    ["an error that is none", () => ({ error: "allow" })],
    ["neither result nor error", () => ({})],
    [
      "result and error",
      (q) => ({ result: selected(optionOf(q, "allow_once")), error: { code: 1, message: "" } }),
    ],
  ])("that is %s denies", async (_name, answer) => {
    const { tool, editor, prompted, question } = await asked(probe("one"));
    editor.send({ id: question.id, ...answer(question) });
    expect(await editor.answerOf(prompted)).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(tool.ran).toEqual([]);
  });

  test("to an earlier question allows no later one, by its option or by its id", async () => {
    const { tool, editor, prompted, question } = await asked(probe("one"), probe("two"));
    const allow = selected(optionOf(question, "allow_once"));
    editor.send({ id: question.id, result: allow });
    const second = await editor.question(2);
    // Another time to the first question: nobody waits for it.
    editor.send({ id: question.id, result: allow });
    editor.send({ id: question.id, result: selected(optionOf(second, "allow_once")) });
    await sleep(20);
    expect(tool.ran).toHaveLength(1);
    editor.send({ id: second.id, result: allow });
    expect(await editor.answerOf(prompted)).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(tool.ran).toEqual([{ value: "one" }]);
  });

  test("that comes after the turn was cancelled allows nothing, then or in the next turn", async () => {
    const { tool, editor, session, prompted, question } = await asked(probe("one"), probe("two"));
    editor.send({ method: "session/cancel", params: { sessionId: session } });
    expect(await editor.answerOf(prompted)).toMatchObject({ result: { stopReason: "cancelled" } });
    const late = { id: question.id, result: selected(optionOf(question, "allow_once")) };
    editor.send(late);
    const next = editor.prompt(session, "again");
    const second = await editor.question(2);
    editor.send(late);
    editor.send({ id: second.id, result: selected(optionOf(second, "reject_once")) });
    expect(await editor.answerOf(next)).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(tool.ran).toEqual([]);
  });

  test("stands under a hook that denies: nobody is asked", async () => {
    const tool = probeTool("probe");
    const editor = await MemoryEditor.open({
      agents: { main: [probe("one"), { text: "over" }] },
      tools: [tool],
      interceptors: [{ name: "no", intercept: () => ({ decision: "deny", reason: "not here" }) }],
    });
    const session = await editor.session();
    expect(await editor.answerOf(editor.prompt(session))).toMatchObject({
      result: { stopReason: "end_turn" },
    });
    expect(tool.ran).toEqual([]);
    expect(editor.received.some(({ method }) => method === "session/request_permission")).toBe(false);
  });

  test("is for what a hook made of the call, and the question shows that", async () => {
    const tool = probeTool("probe");
    const editor = await MemoryEditor.open({
      agents: { main: [probe("asked"), { text: "over" }] },
      tools: [tool],
      interceptors: [{ name: "other", intercept: () => ({ decision: "modify", input: { value: "made" } }) }],
    });
    const prompted = editor.prompt(await editor.session());
    const question = await editor.question();
    expect(question.params.toolCall.rawInput).toEqual({ value: "made" });
    editor.send({ id: question.id, result: selected(optionOf(question, "allow_once")) });
    await editor.answerOf(prompted);
    expect(tool.ran).toEqual([{ value: "made" }]);
  });

  test.each<[string, object, string[]]>([
    ["nothing of a plain write", { content: "new\n\ttext" }, []],
    ["fields beside it", { content: "new", mode: "0777" }, ["```", "  mode: 0777", "```"]],
    ["a text that hides something", { content: "a\u202eb" }, ["```", "  content: a\\u{202e}b", "```"]],
  ])("is asked for with a difference and, besides, %s", async (_name, more, shown) => {
    const tool = probeTool("probe", { inputSchema: { type: "object" } });
    const write = calls({ name: "probe", input: { path: "new.txt", ...more }, id: "one" });
    const { question } = await asked(write, tool);
    const [diff, { content }] = question.params.toolCall.content;
    expect(diff).toMatchObject({ type: "diff", oldText: null });
    expect(content.text.split("\n").slice(1)).toEqual(shown);
  });

  test("is asked for in words that no Markdown leaves out", async () => {
    const value = "ls <!-- ; rm -rf ~ -->\n```";
    const { question } = await asked(calls({ name: "probe", input: { value }, id: "one" }));
    const [{ content }] = question.params.toolCall.content;
    expect(content.text).toContain("\n```\n  value: ls <!-- ; rm -rf ~ -->\\u{a}```\n```");
  });

  test("to a delegated agent's question is asked for in the session that it works for", async () => {
    const tool = probeTool("probe");
    const spawn = calls({ name: "spawn", input: { input: "try it" }, id: "task" });
    const editor = await MemoryEditor.open({
      agents: { main: [spawn, { text: "done" }], child: [probe("inner"), { text: "tried" }] },
      tools: [tool],
    });
    const session = await editor.session();
    const prompted = editor.prompt(session);
    for (const number of [1, 2]) {
      const question = await editor.question(number);
      expect(question.params.sessionId).toBe(session);
      editor.send({ id: question.id, result: selected(optionOf(question, "allow_once")) });
    }
    expect(await editor.answerOf(prompted)).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(tool.ran).toEqual([{ value: "inner" }]);
    expect(editor.updates().some(({ toolCallId }) => toolCallId === "inner")).toBe(false);
  });

  test("is not waited for when the editor leaves: the call is denied and the turn stopped", async () => {
    const { tool, editor, session } = await asked(probe("one"));
    editor.input.end();
    expect(await editor.ended).toBe("client");
    expect(tool.ran).toEqual([]);
    await vi.waitFor(async () =>
      expect(await editor.host.state.store.head(session)).toMatchObject({ runTurn: null, openCalls: [] }),
    );
  });
});

describe("a session", () => {
  test("that is closed while it asks ends its turn as cancelled; it is opened again and goes on", async () => {
    const { tool, editor, session, prompted, question } = await asked(probe("one"), probe("two"));
    const place = { sessionId: session, cwd: editor.host.root, mcpServers: [] };
    expect(await editor.ask("session/load", place)).toMatchObject({
      error: { data: { kind: "turn_running" } },
    });
    expect(await editor.ask("session/close", { sessionId: session })).toMatchObject({ result: {} });
    expect(await editor.answerOf(prompted)).toMatchObject({ result: { stopReason: "cancelled" } });
    expect(await editor.answerOf(editor.prompt(session))).toMatchObject({ error: { code: -32002 } });
    const both = [editor.begin("session/resume", place), editor.begin("session/resume", place)];
    const answers = await Promise.all(both.map((id) => editor.answerOf(id)));
    expect(answers.map(({ error }) => error?.data.kind)).toContain(undefined);
    const next = editor.prompt(session);
    const second = await editor.question(2);
    editor.send({ id: question.id, result: selected(optionOf(second, "allow_once")) });
    editor.send({ id: second.id, result: selected(optionOf(second, "allow_once")) });
    expect(await editor.answerOf(next)).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(tool.ran).toEqual([{ value: "two" }]);
  });

  test("tells notices to an editor that shows them, and to no other", async () => {
    for (const session of [{ notices: {} }, {}]) {
      const editor = await MemoryEditor.open({ agents: { main: [{ text: "ok", finish: "length" }] } });
      const prompted = editor.prompt(await editor.session({ session }));
      expect(await editor.answerOf(prompted)).toMatchObject({ result: { stopReason: "max_tokens" } });
      const notices = editor.updates().filter(({ sessionUpdate }) => sessionUpdate === "notice");
      expect(notices).toHaveLength("notices" in session ? 1 : 0);
    }
  });

  test("whose editor can no longer be written to ends as if it had left", async () => {
    const { tool, editor } = await asked(probe("one"));
    editor.output.destroy();
    expect(await editor.ended).toBe("client");
    expect(tool.ran).toEqual([]);
  });
});
