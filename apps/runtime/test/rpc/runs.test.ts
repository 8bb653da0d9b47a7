import { describe, expect, it } from "vitest";
import { rpcCode } from "../../src/rpc/rpc-error.ts";
import { png } from "../harness/pictures.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, stateKinds, type TestHostOptions } from "../harness/test-host.ts";
import { connect } from "./support/client.ts";
import { heldModel } from "./support/held-model.ts";

async function setUp(options: TestHostOptions = {}) {
  const host = await openTestHost({ agents: { main: [{ text: "done" }] }, ...options });
  return { host, client: connect(host) };
}

describe.each(stateKinds)("a turn of a client, with the state in %s", (state) => {
  it("is named when it has begun and tells how it ended, once and again", async () => {
    const { client } = await setUp({ state });
    const names = await client.call("runs/start", { prompt: "go", member: "writer" });
    expect(names).toEqual({ run: expect.any(String), session: expect.any(String), member: "writer" });
    const end = await client.call("runs/wait", { run: names.run });
    expect(end).toEqual({ ...names, status: "completed", text: "done", usage: expect.any(Object) });
    expect(await client.call("runs/wait", { run: names.run })).toEqual(end);
    expect(await client.call("runs/list")).toEqual({ runs: [] });
    const { messages, session, next } = await client.call("sessions/read", { session: "writer" });
    expect(messages.map(({ kind }: { kind: string }) => kind)).toEqual(["user", "assistant"]);
    expect({ next, session }).toMatchObject({ next: null, session: { member: "writer", state: "ready" } });
  });

  it("is the only one in its session; another session has one beside it", async () => {
    const model = heldModel();
    const { client } = await setUp({ state, onRequest: model.onRequest });
    const first = await client.call("runs/start", { prompt: "go", member: "writer" });
    expect(await client.refusal("runs/start", { prompt: "too", session: "writer" })).toMatchObject({
      code: rpcCode.busy,
      data: { retry: "same_request" },
    });
    const other = await client.call("runs/start", { prompt: "too" });
    expect((await client.call("runs/list")).runs).toEqual([first, other]);
    model.release();
    expect(await client.call("runs/wait", { run: first.run })).toMatchObject({ status: "completed" });
    expect(await client.call("runs/start", { prompt: "again", session: "writer" })).toMatchObject({
      session: first.session,
    });
  });
});

describe("a turn's images", () => {
  const data = png().toString("base64");

  it("are shown with its prompt, and each that is none is named", async () => {
    const { host, client } = await setUp();
    const images = [{ data, name: "dot.png" }, { data }];
    const { run } = await client.call("runs/start", { prompt: "see", member: "writer", images });
    expect(await client.call("runs/wait", { run })).toMatchObject({ status: "completed" });
    const file = { type: "file", mediaType: "image/png", data: expect.stringMatching(/^blob:sha256:/) };
    expect(host.models.requests[0]!.messages[0]!.content).toMatchObject([
      { text: "see" },
      { ...file, filename: "dot.png" },
      file,
    ]);
    for (const [wrong, kind] of [
      ["PHN2Zz4=", "image_unknown"],
      ["A", "image_not_base64"],
    ] as const)
      expect(
        await client.refusal("runs/start", { prompt: "see", images: [{ data }, { data: wrong }] }),
      ).toMatchObject({ code: rpcCode.invalid_params, data: { kind, path: "images.1" } });
    for (const params of [
      { session: "writer", images },
      { prompt: "see", images: Array.from({ length: 21 }, () => ({ data })) },
      { prompt: "see", images: [{ data: "" }] },
    ])
      expect(await client.refusal("runs/start", params)).toMatchObject({ code: rpcCode.invalid_params });
  });
});

describe("ending a turn", () => {
  it("keeps its work when it is stopped", async () => {
    const model = heldModel();
    const { client } = await setUp({ onRequest: model.onRequest });
    const { run } = await client.call("runs/start", { prompt: "go", member: "writer" });
    await model.asked;
    expect(await client.call("runs/stop", { run })).toEqual({ run, was_running: true });
    model.release();
    expect(await client.call("runs/wait", { run })).toMatchObject({ status: "stopped", stopped_by: "stop" });
    const { messages } = await client.call("sessions/read", { session: "writer" });
    expect(messages[0].message.content).toBe("go");
    expect(await client.call("runs/stop", { run })).toEqual({ run, was_running: false });
  });

  it("rolls it back when it is cancelled", async () => {
    const model = heldModel();
    const { client } = await setUp({ onRequest: model.onRequest });
    const { run } = await client.call("runs/start", { prompt: "go", member: "writer" });
    await model.asked;
    await client.call("runs/cancel", { run });
    model.release();
    expect(await client.call("runs/wait", { run })).toMatchObject({ status: "cancelled" });
    expect(await client.call("sessions/read", { session: "writer" })).toMatchObject({ messages: [] });
  });

  it("comes from a bound that the client set", async () => {
    const agents = { main: [calls({ name: "list", input: {} }), { text: "no more" }] };
    const { client } = await setUp({ agents });
    const { run } = await client.call("runs/start", { prompt: "go", tool_budget: 0 });
    expect(await client.call("runs/wait", { run })).toMatchObject({
      status: "stopped",
      stopped_by: "tool_budget",
    });
  });
});

describe("a turn is refused", () => {
  it.each([
    ["without a prompt in a new session", {}, "prompt"],
    ["with a name for a session that is there", { prompt: "x", session: "s", member: "m" }, "member"],
    ["with a deadline of nothing", { prompt: "x", deadline_ms: 0 }, "deadline_ms"],
    ["with leave to run programs", { prompt: "x", allow_run: true }, ""],
  ])("%s", async (_what, params, path) => {
    const { client } = await setUp();
    const { code, data } = await client.refusal("runs/start", params);
    expect({ code, data }).toMatchObject({ code: rpcCode.invalid_params, data: { issues: [{ path }] } });
    expect(await client.call("sessions/list")).toEqual({ sessions: [], next: null });
  });

  it("in a session that is not there, and for a name that is taken", async () => {
    const { client } = await setUp();
    expect(await client.refusal("runs/start", { prompt: "x", session: "none" })).toMatchObject({
      code: rpcCode.not_found,
    });
    const { run } = await client.call("runs/start", { prompt: "x", member: "writer" });
    await client.call("runs/wait", { run });
    expect(await client.refusal("runs/start", { prompt: "x", member: "writer" })).toMatchObject({
      code: rpcCode.conflict,
    });
    expect(await client.refusal("runs/wait", { run: "none" })).toMatchObject({ code: rpcCode.not_found });
    const { session } = await client.call("runs/start", { prompt: "y", session: "writer" });
    expect(session).toEqual(expect.any(String));
  });

  it("while another process has the session's lease, and begins after it", async () => {
    const { client, host } = await setUp();
    const { store } = host.state;
    const { id } = await store.createSession({ member: "writer", role: "main" });
    const lease = await store.acquireLease(id, { owner: "elsewhere", ttlMs: 60_000 });
    expect(await client.refusal("runs/start", { prompt: "x", session: id })).toMatchObject({
      code: rpcCode.busy,
      data: { kind: "lease_held" },
    });
    await store.releaseLease(lease);
    const { run } = await client.call("runs/start", { prompt: "x", session: id });
    expect(await client.call("runs/wait", { run })).toMatchObject({ status: "completed" });
  });

  it("by its end, when the session waits for an approval or for nothing", async () => {
    const agents = { main: [calls({ name: "probe", input: {} }), { text: "done" }] };
    const approver = new RecordingApprover({ decision: "park" });
    const { client } = await setUp({ agents, approver, tools: [probeTool("probe")] });
    const { run } = await client.call("runs/start", { prompt: "go", member: "writer" });
    const parked = await client.call("runs/wait", { run });
    expect(parked).toMatchObject({ status: "parked", approval_id: expect.any(String) });
    const more = await client.call("runs/start", { prompt: "and?", session: "writer" });
    const end = await client.call("runs/wait", { run: more.run });
    expect(end).toMatchObject({ status: "parked", approval_id: parked.approval_id });
  });
});
