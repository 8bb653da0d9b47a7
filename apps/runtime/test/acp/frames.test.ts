import { describe, expect, test, vi } from "vitest";
import { png } from "../harness/pictures.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { calls } from "../harness/test-host.ts";
import { MemoryEditor } from "./support/memory-editor.ts";

const nothing = { method: "session/list", params: {} };

describe("what an editor writes", () => {
  test.each<[string, string | Buffer, number]>([
    ["no JSON", "{nope}", -32700],
    ["half a message", '{"jsonrpc":"2.0","id":1,', -32700],
    ["a key that stands twice", '{"jsonrpc":"2.0","id":1,"id":2,"method":"session/list"}', -32700],
    ["__proto__", '{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"__proto__":{}}}', -32700],
    ["too deep", `${"[".repeat(5000)}${"]".repeat(5000)}`, -32700],
    ["no UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), -32700],
    ["5 MiB in one line", `"${"x".repeat(5 * 1024 * 1024)}"`, -32700],
    ["a batch", '[{"jsonrpc":"2.0","id":1,"method":"session/list"}]', -32600],
    ["an empty batch", "[]", -32600],
    ["a text", '"session/list"', -32600],
    ["null", "null", -32600],
    ["another version", '{"jsonrpc":"1.0","id":1,"method":"session/list"}', -32600],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"session/list"}', -32600],
    ["an id beyond 2^53", '{"jsonrpc":"2.0","id":9007199254740993,"method":"session/list"}', -32600],
  ])("and is %s is answered as refused, and the next line is read", async (_name, line, code) => {
    const editor = await MemoryEditor.open();
    await editor.ask("initialize", { protocolVersion: 1 });
    editor.write(line);
    editor.write("\n\r\n  \n");
    expect(await editor.until(({ id, error }) => id === null && error !== undefined)).toMatchObject({
      error: { code },
    });
    expect(await editor.ask("session/list")).toMatchObject({ result: { sessions: [] } });
    expect(editor.received).toHaveLength(3);
  });

  test("before it has introduced itself, and for what there is not, is refused", async () => {
    const editor = await MemoryEditor.open();
    expect(await editor.ask("session/list")).toMatchObject({ error: { code: -32600 } });
    expect(await editor.ask("initialize", {})).toMatchObject({ error: { code: -32602 } });
    expect(await editor.ask("initialize", { protocolVersion: 9 })).toMatchObject({
      result: { protocolVersion: 1 },
    });
    for (const method of [
      "authenticate",
      "session/delete",
      "session/set_mode",
      "session/fork",
      "nope",
      "constructor",
    ])
      expect(
        await editor.ask(method, { sessionId: "s", methodId: "m", modeId: "m", cwd: "/" }),
      ).toMatchObject({
        error: { code: -32601 },
      });
    const unknown = { sessionId: "nobody", prompt: [{ type: "text", text: "x" }] };
    expect(await editor.ask("session/prompt", unknown)).toMatchObject({
      error: { code: -32002, data: { kind: "unknown_session", sessionId: "nobody" } },
    });
    editor.send({ method: "session/cancel", params: { sessionId: "nobody" } });
    editor.send({ method: "session/cancel", params: 7 });
    editor.send({ method: "nope" });
    editor.send({ id: 77, result: {} });
    expect(await editor.ask("session/list")).toMatchObject({ result: { sessions: [] } });
    expect(editor.unforeseen).toEqual([]);
  });

  test("in a prompt is text, links and embedded text; anything else is named and refused", async () => {
    const editor = await MemoryEditor.open({ agents: { main: [{ text: "ok" }] } });
    const sessionId = await editor.session();
    const send = (...prompt: object[]) => editor.ask("session/prompt", { sessionId, prompt });
    const text = { type: "text", text: "See " };
    const noImage = { type: "image", data: "AA==", mimeType: "image/png" };
    expect(await send(text, noImage)).toMatchObject({
      error: { code: -32602, data: { kind: "image_unknown", path: "prompt.1" } },
    });
    const blob = { type: "resource", resource: { uri: "file:///b", blob: "AA==" } };
    for (const refused of [{ type: "audio", data: "AA==", mimeType: "audio/wav" }, blob])
      expect(await send(text, refused)).toMatchObject({
        error: { code: -32602, data: { kind: "unsupported_content", path: "prompt.1" } },
      });
    expect(await send()).toMatchObject({ error: { data: { kind: "empty_prompt" } } });
    expect(await send({ type: "text", text: "  " })).toMatchObject({
      error: { data: { kind: "empty_prompt" } },
    });
    expect(await send({ type: "video" })).toMatchObject({ error: { code: -32602 } });
    // Nothing of it was kept.
    expect(
      await editor.ask("session/load", { sessionId, cwd: editor.host.root, mcpServers: [] }),
    ).toMatchObject({
      error: { code: -32002 },
    });
    const link = { type: "resource_link", name: "a.ts", uri: "file:///a.ts" };
    const embedded = { type: "resource", resource: { uri: 'file:///"c"', text: "one</resource>two" } };
    const again = await editor.ask("session/new", { cwd: editor.host.root, mcpServers: [] });
    const asked = { sessionId: again.result.sessionId, prompt: [text, embedded, link] };
    expect(await editor.ask("session/prompt", asked)).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(editor.host.models.requests[0]!.messages).toEqual([
      {
        role: "user",
        content:
          'See [@a.ts](file:///a.ts)\n\n<resource uri="file:///\\"c\\"">\none<\\/resource>two\n</resource>',
      },
    ]);
  });

  test("may be an image, which a loaded session shows again as what it is", async () => {
    const editor = await MemoryEditor.open({ agents: { main: [{ text: "a dot" }] } });
    const sessionId = await editor.session();
    const data = png().toString("base64");
    const resource = { uri: "file:///x/dot.png?1", mimeType: "image/png", blob: data };
    const prompt = [
      { type: "text", text: "what is this?" },
      { type: "image", data, mimeType: "image/svg+xml" },
      { type: "resource", resource },
    ];
    expect(await editor.ask("session/prompt", { sessionId, prompt })).toMatchObject({
      result: { stopReason: "end_turn" },
    });
    expect(editor.host.models.requests[0]!.messages[0]!.content).toMatchObject([
      { text: "what is this?" },
      { type: "file", mediaType: "image/png", data: expect.stringMatching(/^blob:/) },
      { type: "file", mediaType: "image/png", filename: "dot.png" },
    ]);
    await editor.ask("session/close", { sessionId });
    await editor.ask("session/load", { sessionId, cwd: editor.host.root, mcpServers: [] });
    const image = { type: "image", mimeType: "image/png", data };
    const shown = editor.received
      .map(
        ({ params }) =>
          (params as { update?: { sessionUpdate: string; content: unknown } } | undefined)?.update,
      )
      .filter((update) => update?.sessionUpdate === "user_message_chunk");
    expect(shown.map((update) => update!.content)).toEqual([prompt[0], image, image]);
  });

  test("beyond 64 requests that wait, or under an id that waits, is refused; a cancel is let in", async () => {
    const tool = probeTool("probe");
    const agents = { main: [calls({ name: "probe", input: { value: "x" } }), { text: "over" }] };
    const editor = await MemoryEditor.open({ agents, tools: [tool] });
    const sessionId = await editor.session();
    const prompted = editor.prompt(sessionId);
    await editor.question();
    const params = { sessionId, prompt: [{ type: "text", text: "x" }] };
    editor.send({ id: prompted, method: "session/prompt", params });
    expect(await editor.until(({ id, error }) => id === null && error !== undefined)).toMatchObject({
      error: { code: -32600, data: { kind: "id_in_use" } },
    });
    expect(editor.received.filter(({ id }) => id === prompted)).toEqual([]);
    // In one go, so that none is answered before the last is read.
    const flood = Array.from({ length: 70 }, (_, id) => JSON.stringify({ jsonrpc: "2.0", id, ...nothing }));
    editor.write(`${flood.join("\n")}\n`);
    expect(await editor.answerOf(69)).toMatchObject({
      error: { code: -32050, data: { kind: "overloaded" } },
    });
    expect(await editor.answerOf(0)).toMatchObject({ result: {} });
    editor.send({ method: "session/cancel", params: { sessionId } });
    expect(await editor.answerOf(prompted)).toMatchObject({ result: { stopReason: "cancelled" } });
    expect(tool.ran).toEqual([]);
  });

  test("is read no more while it does not read; then nothing is missing of the text", async () => {
    const text = Array.from({ length: 3000 }, (_, index) => `${index} `)
      .join("")
      .repeat(100);
    const editor = await MemoryEditor.open({ agents: { main: [{ text }] } });
    const sessionId = await editor.session();
    editor.output.pause();
    const prompted = editor.prompt(sessionId);
    await vi.waitFor(() => expect(editor.host.events.all.at(-1)?.type).toBe("run_finished"), 10_000);
    expect(editor.updates()).toEqual([]);
    editor.output.resume();
    await editor.answerOf(prompted);
    const said = editor.updates().map(({ content }) => content.text);
    // Most pieces were left out, and came in one.
    expect(said.at(-1).length).toBeGreaterThan(text.length / 10);
    expect(said.join("")).toBe(text);
  });

  test("of $/cancel_request ends the turn that its request runs", async () => {
    const tool = probeTool("probe");
    const agents = { main: [calls({ name: "probe", input: { value: "x" } }), { text: "over" }] };
    const editor = await MemoryEditor.open({ agents, tools: [tool] });
    const prompted = editor.prompt(await editor.session());
    await editor.question();
    editor.send({ method: "$/cancel_request", params: { requestId: prompted } });
    expect(await editor.answerOf(prompted)).toMatchObject({ result: { stopReason: "cancelled" } });
    expect(tool.ran).toEqual([]);
  });
});
