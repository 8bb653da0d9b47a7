import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openTestHost, type TestHostOptions } from "../harness/test-host.ts";
import { heldModel } from "../rpc/support/held-model.ts";
import { HttpClient, TOKEN, type HttpOptions } from "./support/http-client.ts";

async function setUp(host: TestHostOptions = {}, options: HttpOptions = {}) {
  const opened = await openTestHost({ agents: { main: [{ text: "done" }] }, ...host });
  return { host: opened, client: new HttpClient(opened, options) };
}

/** Sends a request and reads nothing of what comes; answers the connection once that has begun to come. */
async function openUnread(client: HttpClient, request: string): Promise<Socket> {
  const { host, port } = await client.address;
  const socket = connect(port, host).on("error", () => undefined);
  socket.write(request.replace("\r\n", `\r\nHost: ${host}:${port}\r\nAuthorization: Bearer ${TOKEN}\r\n`));
  await new Promise<void>((resolve) => socket.once("readable", () => resolve()));
  return socket;
}

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once("close", () => resolve()).resume());

/** Asks for an answer that is larger than what lies between a server and a client. */
function askForMuch(session: string): string {
  const params = { session };
  const batch = Array.from({ length: 24 }, (_, id) => ({
    jsonrpc: "2.0",
    id,
    method: "sessions/read",
    params,
  }));
  const body = JSON.stringify(batch);
  return `POST /rpc HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

describe("a client that goes", () => {
  it("while it waits leaves room for the next", async () => {
    const model = heldModel();
    const { client } = await setUp({ onRequest: model.onRequest });
    const { run } = await client.call("runs/start", { prompt: "go" });
    const hangUp = new AbortController();
    const wait = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "runs/wait", params: { run } });
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", body: wait, headers, signal: hangUp.signal };
    const waiting = Array.from({ length: 64 }, () => client.fetch("/rpc", init).catch(() => undefined));
    while ((await client.ask("runs/list")).error?.data.kind !== "overloaded");
    hangUp.abort();
    await Promise.all(waiting);
    while ((await client.ask("runs/list")).error !== undefined);
    model.release();
    expect(await client.call("runs/wait", { run })).toMatchObject({ status: "completed" });
  });

  it("does not take its turn with it", async () => {
    const model = heldModel();
    const { client } = await setUp({ onRequest: model.onRequest });
    const hangUp = new AbortController();
    const start = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "runs/start", params: { prompt: "go" } });
    const headers = { "content-type": "application/json" };
    await client.fetch("/rpc", { method: "POST", body: start, headers, signal: hangUp.signal });
    hangUp.abort();
    await model.asked;
    model.release();
    const { runs } = await client.call("runs/list");
    for (const { run } of runs)
      expect(await client.call("runs/wait", { run })).toMatchObject({ status: "completed" });
  });

  it("without reading its answer is let go; one that reads it has the whole", async () => {
    const agents = { main: [{ text: "x".repeat(900_000) }] };
    const { client } = await setUp({ agents }, { limits: { sendMs: 300 } });
    const { run, session } = await client.call("runs/start", { prompt: "go" });
    await client.call("runs/wait", { run });
    const socket = await openUnread(client, askForMuch(session));
    await sleep(1500);
    await closed(socket);
    expect(socket.bytesRead).toBeLessThan(20 * 900_000);
    const { messages } = await client.call("sessions/read", { session });
    expect(messages).toHaveLength(2);
  });
});

describe("the end of the server", () => {
  it("stops turns with their work kept, answers who waits, and lets nobody new in", async () => {
    const model = heldModel();
    const { host, client } = await setUp({ onRequest: model.onRequest });
    const { run, session } = await client.call("runs/start", { prompt: "go" });
    const calls = [
      { jsonrpc: "2.0", id: 1, method: "runs/wait", params: { run } },
      { jsonrpc: "2.0", id: 2, method: "runs/start", params: { prompt: "too" } },
    ];
    const waiting = client.post(JSON.stringify(calls));
    // The second turn tells that the question about the first has come.
    while ((await client.call("runs/list")).runs.length < 2);
    client.stop();
    model.release();
    expect(await (await waiting).json()).toMatchObject([
      { result: { status: "stopped", stopped_by: "stop" } },
      {},
    ]);
    await client.ended;
    expect(await host.state.store.head(session)).toMatchObject({
      runTurn: null,
      len: 1,
      lease: { owner: null },
    });
    await expect(client.call("server/info")).rejects.toThrow("fetch failed");
  });

  it("does not wait for those who read nothing, say nothing, or keep their connection", async () => {
    const { client, host } = await setUp();
    const { id: session } = await host.state.store.createSession({ member: "writer", role: "main" });
    for (let count = 0; count < 200; count += 1)
      host.state.events.emit({ session }, "notice", { text: "x".repeat(64 * 1024) });
    const stream = await openUnread(client, "GET /events?after=0 HTTP/1.1\r\n\r\n");
    const kept = await openUnread(client, "GET /healthz HTTP/1.1\r\n\r\n");
    const { port } = await client.address;
    const silent = connect(port, "127.0.0.1");
    await new Promise<void>((resolve) => silent.once("connect", () => resolve()));
    const began = performance.now();
    client.stop();
    await client.ended;
    await Promise.all([stream, kept, silent].map(closed));
    expect(performance.now() - began).toBeLessThan(5000);
  });
});
