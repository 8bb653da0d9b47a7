import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeGrantToken } from "../../src/approvals/grant-token.ts";
import { Bench } from "../cli/support/bench.ts";
import { Editor, refusal } from "./support/editor.ts";

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
});
afterAll(() => bench.remove());

const write = (content: string) => ({ calls: [{ name: "write", input: { path: "note.txt", content } }] });

describe("an editor that drives basis serve --acp", () => {
  it("is told what there is, and of a turn's text, calls, differences and end; nothing else stands on stdout", async () => {
    bench.write("note.txt", "before\n");
    const editor = new Editor(bench, [
      "--model",
      bench.script([
        { text: "I look.", calls: [{ name: "read", input: { path: "README.md", from: 1 } }] },
        write("after\n"),
        { text: "Done." },
      ]),
    ]);
    expect(await editor.initialize()).toMatchObject({
      protocolVersion: 1,
      authMethods: [],
      agentInfo: { name: "basis" },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: false, sse: false },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
    });
    const session = await editor.open(bench.workspace);
    expect(await editor.prompt(session, "go")).toMatchObject({
      stopReason: "end_turn",
      _meta: { basis: { status: "completed" } },
    });
    expect(editor.said()).toBe("I look.Done.");
    const note = join(bench.workspace, "note.txt");
    expect(editor.of("tool_call")).toMatchObject([
      {
        title: "read README.md",
        kind: "read",
        status: "pending",
        locations: [{ path: join(bench.workspace, "README.md"), line: 1 }],
      },
      { title: "write note.txt", kind: "edit", locations: [{ path: note }] },
    ]);
    const [, written] = editor.of("tool_call");
    const ofWrite = editor
      .of("tool_call_update")
      .filter(({ toolCallId }) => toolCallId === written!.toolCallId);
    const diff = { type: "diff", path: note, oldText: "before\n", newText: "after\n" };
    expect(ofWrite).toMatchObject([
      { status: "in_progress", content: [diff] },
      { status: "completed", content: [diff] },
    ]);
    expect(editor.asked).toMatchObject([
      { sessionId: session, toolCall: { toolCallId: written!.toolCallId, content: [diff, {}] } },
    ]);
    expect(editor.asked[0]!.options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
    expect(readFileSync(note, "utf8")).toBe("after\n");
    expect(await editor.leave()).toBe(0);
  });

  it("finds its session again in another process: listed, replayed as it was, and gone on with", async () => {
    const rounds = [{ text: "Hm.", ...write("again\n") }, { text: "One." }, { text: "Two." }];
    const first = new Editor(bench, ["--model", bench.script(rounds)]);
    const session = await first.open(bench.workspace);
    await first.prompt(session, "first words\nand more");
    await first.leave();
    const second = new Editor(bench, ["--model", bench.script(rounds)]);
    await second.initialize();
    const listed = await second.agent.request(methods.agent.session.list, { cwd: bench.workspace });
    expect(listed.sessions).toContainEqual(
      expect.objectContaining({ sessionId: session, cwd: bench.workspace, title: "first words" }),
    );
    const elsewhere = { sessionId: session, cwd: bench.base, mcpServers: [] };
    expect((await refusal(second.agent.request(methods.agent.session.load, elsewhere))).data).toMatchObject({
      kind: "other_folder",
    });
    await second.agent.request(methods.agent.session.load, { ...elsewhere, cwd: bench.workspace });
    expect(second.updates.map(({ update }) => update)).toMatchObject([
      { sessionUpdate: "user_message_chunk", content: { text: "first words\nand more" } },
      { sessionUpdate: "agent_message_chunk", content: { text: "Hm." } },
      { sessionUpdate: "tool_call", kind: "edit", title: "write note.txt" },
      { sessionUpdate: "tool_call_update", status: "completed" },
      { sessionUpdate: "agent_message_chunk", content: { text: "One." } },
    ]);
    expect(await second.prompt(session, "more")).toMatchObject({ stopReason: "end_turn" });
    expect(second.said()).toBe("Hm.One.Two.");
    const unknown = { ...elsewhere, sessionId: "nobody", cwd: bench.workspace };
    expect(await refusal(second.agent.request(methods.agent.session.load, unknown))).toMatchObject({
      code: -32002,
      data: { sessionId: "nobody" },
    });
    expect(await second.leave()).toBe(0);
  });

  it("cancels a turn with a program in it: its end is 'cancelled', the program is gone, the work stays", async () => {
    const pid = join(bench.workspace, "pid");
    const argv = ["sh", "-c", `echo $$ > ${pid}; exec sleep 300`];
    const rounds = [{ text: "Wait.", calls: [{ name: "run", input: { argv } }] }, { text: "On." }];
    const editor = new Editor(bench, ["--model", bench.script(rounds), "--allow-run"]);
    const session = await editor.open(bench.workspace);
    const turn = editor.prompt(session, "go");
    await editor.until(() => editor.asked.length === 1);
    expect(editor.asked[0]!.toolCall).toMatchObject({
      kind: "execute",
      title: expect.stringContaining("run sh"),
    });
    const busy = await refusal(editor.prompt(session, "two at once"));
    expect(busy).toMatchObject({ code: -32050, data: { kind: "turn_running", sessionId: session } });
    while (!existsSync(pid) || readFileSync(pid, "utf8") === "")
      await new Promise((go) => setTimeout(go, 20));
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: session });
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expect(() => process.kill(Number(readFileSync(pid, "utf8")), 0)).toThrow("ESRCH");
    expect(editor.of("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
    expect(await editor.prompt(session, "on")).toMatchObject({ stopReason: "end_turn" });
    expect(editor.said()).toBe("Wait.On.");
    expect(await editor.leave()).toBe(0);
  });

  it("leaves in the middle of a turn while it is asked: the call is denied, the turn ends, the exit code is 0", async () => {
    bench.write("note.txt", "kept\n");
    const editor = new Editor(bench, ["--model", bench.script([write("lost\n"), { text: "no" }])]);
    const session = await editor.open(bench.workspace);
    editor.answer = () => new Promise(() => undefined);
    void editor.prompt(session, "go").catch(() => undefined);
    await editor.until(() => editor.asked.length === 1);
    expect(await editor.leave()).toBe(0);
    expect(readFileSync(join(bench.workspace, "note.txt"), "utf8")).toBe("kept\n");
    const resumed = await bench.run(["sessions", "show", session]);
    expect(resumed.code).toBe(0);
  });

  it("parks what nobody answers, says so, and goes on with an empty prompt once it was answered", async () => {
    const editor = new Editor(bench, [
      "--model",
      bench.script([write("later\n"), { text: "Written." }]),
      "--approve",
      "park",
    ]);
    const session = await editor.open(bench.workspace);
    const parked = await editor.prompt(session, "go");
    expect(parked).toMatchObject({ stopReason: "end_turn", _meta: { basis: { status: "parked" } } });
    const id = parked._meta.basis.approval_id as string;
    expect(editor.said()).toContain(`basis approvals allow ${id}`);
    expect(await refusal(editor.prompt(session, "another"))).toMatchObject({
      data: { kind: "parked", approval_id: id },
    });
    expect(editor.asked).toEqual([]);
    const token = bench.write(join(bench.base, "token"), `${makeGrantToken(bench.data)}\n`, 0o600);
    expect(await bench.run(["approvals", "allow", id, "--token-file", token])).toMatchObject({ code: 0 });
    expect(await editor.prompt(session, "")).toMatchObject({ stopReason: "end_turn" });
    expect(editor.said()).toMatch(/Written\.$/);
    expect(readFileSync(join(bench.workspace, "note.txt"), "utf8")).toBe("later\n");
    expect(await editor.leave()).toBe(0);
  });
});
