import { describe, expect, it } from "vitest";
import { rpcCode } from "../../src/rpc/rpc-error.ts";
import { MemoryEditor } from "../acp/support/memory-editor.ts";
import { calls, openTestHost, type TestHostOptions } from "../harness/test-host.ts";
import { connect } from "./support/client.ts";

const reviewer = "---\nname: reviewer\ndescription: reads\ntools: [read]\n---\nYou review.\n";
const options: TestHostOptions = {
  files: { ".basis/agents/reviewer.md": reviewer },
  trust: "run",
  agents: {
    main: [{ text: "main here" }],
    reviewer: [
      calls({ name: "write", input: { path: "new.txt", content: "x" } }),
      { text: "reviewed" },
      { text: "again" },
    ],
  },
};

describe("a client that names an agent of the folder", () => {
  it("begins a session as it: its script, at most its tools; the session stays who it is", async () => {
    const host = await openTestHost(options);
    const client = connect(host);
    const names = await client.call("runs/start", { prompt: "go", agent: "reviewer" });
    expect(names.member).toMatch(/^reviewer-/);
    expect(await client.call("runs/wait", { run: names.run })).toMatchObject({ text: "reviewed" });
    expect(JSON.stringify(await host.transcript(names.session))).toContain("no tool 'write' for this agent");
    const next = await client.call("runs/start", { prompt: "and?", session: names.session });
    expect(await client.call("runs/wait", { run: next.run })).toMatchObject({ text: "again" });
    const main = await client.call("runs/start", { prompt: "go" });
    expect(await client.call("runs/wait", { run: main.run })).toMatchObject({ text: "main here" });
    expect(
      await client.refusal("runs/start", { prompt: "go", session: main.session, agent: "reviewer" }),
    ).toMatchObject({
      code: rpcCode.invalid_params,
      message: expect.stringContaining("leave out agent"),
      data: { kind: "other_agent", issues: [{ path: "agent" }] },
    });
  });

  it("is refused one that is not there, with the near name, and nothing is kept", async () => {
    const client = connect(await openTestHost(options));
    expect(await client.refusal("runs/start", { prompt: "go", agent: "reviwer" })).toMatchObject({
      code: rpcCode.invalid_params,
      message: expect.stringContaining("did you mean 'reviewer'?"),
      data: { kind: "unknown_agent", issues: [{ path: "agent" }] },
    });
    expect((await client.call("sessions/list")).sessions).toEqual([]);
  });

  it("is an editor, too, by _meta of session/new", async () => {
    const editor = await MemoryEditor.open(options);
    await editor.ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const opens = (basis: object) =>
      editor.ask("session/new", { cwd: editor.host.root, mcpServers: [], _meta: { basis } });
    const { result } = await opens({ agent: "reviewer" });
    await editor.answerOf(editor.prompt(result.sessionId));
    expect(editor.updates().some(({ content }) => content?.text === "reviewed")).toBe(true);
    const { binding } = await editor.host.state.store.head(result.sessionId);
    expect(binding!.member).toMatch(/^reviewer-/);
    expect((await opens({ agent: "nobody" })).error).toMatchObject({ data: { kind: "unknown_agent" } });
    expect((await opens({ agents: 1 })).error).toMatchObject({ code: -32602, data: { path: "_meta.basis" } });
  });
});
