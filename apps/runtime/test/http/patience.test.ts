import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { MAX_MESSAGE_BYTES } from "../../src/rpc/rpc-message.ts";
import { openTestHost } from "../harness/test-host.ts";
import { HttpClient, statusOf, TOKEN, type HttpOptions } from "./support/http-client.ts";

const quick = { headersMs: 300, requestMs: 600, idleMs: 200, checkMs: 50 };
const HEAD = `POST /rpc HTTP/1.1\r\nHost: HOST\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n`;
const INFO = '{"jsonrpc":"2.0","id":1,"method":"server/info"}';

async function setUp(options: HttpOptions = {}) {
  const client = new HttpClient(await openTestHost(), options);
  const { port } = await client.address;
  const open = (): Socket => connect(port, "127.0.0.1").on("error", () => undefined);
  return { client, open, head: HEAD.replace("HOST", `127.0.0.1:${port}`) };
}

/** Everything that comes until the server closes. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("latin1").on("data", (piece: string) => (text += piece));
  await new Promise<void>((resolve) => socket.once("close", () => resolve()));
  return text;
}

/** Sends a byte at a time until the other end closes. */
async function drip(socket: Socket, text: string): Promise<string> {
  const answer = untilClosed(socket);
  for (const byte of text) {
    if (!socket.writable) break;
    socket.write(byte);
    await sleep(20);
  }
  return answer;
}

describe("a client that takes its time", () => {
  it("is let go when it says nothing, drips its headers or its body, or comes back late", async () => {
    const { client, open, head } = await setUp({ limits: quick });
    const late = open();
    late.write(`GET /healthz HTTP/1.1\r\nHost: ${new URL(await client.origin()).host}\r\n\r\n`);
    const answers = await Promise.all([
      untilClosed(open()),
      drip(open(), `${head}X-Slow: ${"x".repeat(3000)}`),
      drip(open(), `${head}Content-Length: 3000\r\n\r\n${" ".repeat(3000)}`.slice(0)),
      untilClosed(late),
    ]);
    expect(answers.map(statusOf)).toEqual([408, 408, 408, 200]);
    expect(await client.call("server/info")).toMatchObject({ name: "basis" });
  });

  it("has its answer however long it waits for it", async () => {
    const { client } = await setUp({ limits: quick });
    const { run } = await client.call("runs/start", { prompt: "go" });
    await sleep(1500);
    expect(await client.call("runs/wait", { run })).toMatchObject({ status: "failed" });
  });

  it("is one of so many: more are let go, and let in once there is room", async () => {
    const { client, open } = await setUp({ limits: { maxConnections: 8, headersMs: 2000, checkMs: 50 } });
    const sockets = Array.from({ length: 20 }, open);
    const closed = sockets.map((socket) => untilClosed(socket).then(() => sockets.indexOf(socket)));
    const first = await Promise.all(closed.slice(8).map((each) => each));
    expect(first).toHaveLength(12);
    await Promise.all(closed);
    expect(await client.call("server/info")).toMatchObject({ name: "basis" });
  });
});

describe("a call that is too large", () => {
  const chunk = (bytes: number): string => `${bytes.toString(16)}\r\n${" ".repeat(bytes)}\r\n`;

  it("is refused by its length before it is read, and as it comes when it has none", async () => {
    const { client, open, head } = await setUp();
    const told = open();
    told.write(`${head}Content-Length: ${MAX_MESSAGE_BYTES + 1}\r\n\r\n`);
    const told413 = await untilClosed(told);
    expect([statusOf(told413), told413]).toEqual([413, expect.stringContaining('"code":-32700')]);
    const grown = open();
    const answer = untilClosed(grown);
    grown.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    for (let sent = 0; sent <= MAX_MESSAGE_BYTES && grown.writable; sent += 512 * 1024) {
      grown.write(chunk(512 * 1024));
      await sleep(5);
    }
    expect(statusOf(await answer)).toBe(413);
    expect(client.unforeseen).toEqual([]);
  });

  it("by one byte is refused, and one that is not is answered", async () => {
    const { client } = await setUp();
    const largest = INFO.padEnd(MAX_MESSAGE_BYTES, " ");
    expect(await (await client.post(largest)).json()).toMatchObject({ result: { name: "basis" } });
    expect((await client.post(`${largest} `)).status).toBe(413);
  });

  it("is not asked for: who waits to be told to go on is told no first", async () => {
    const { client, head } = await setUp();
    const expecting = "Expect: 100-continue\r\nConnection: close\r\n";
    const stranger = await client.raw(
      `${head.replace(TOKEN, "wrong")}${expecting}Content-Length: ${INFO.length}\r\n\r\n`,
    );
    expect(statusOf(stranger)).toBe(401);
    const answer = await client.raw(`${head}${expecting}Content-Length: ${INFO.length}\r\n\r\n`, INFO);
    expect(statusOf(answer)).toBe(100);
    expect(answer).toContain('"name":"basis"');
  });
});

describe("what is not to be read", () => {
  it.each([
    ["no UTF-8", new Uint8Array([0xff, 0xfe])],
    ["two documents", `${INFO}${INFO}`],
    ["a mark before the text", `\u{feff}${INFO}`],
    ["nothing", ""],
  ])("as %s is answered as over two streams", async (_what, body) => {
    const { client } = await setUp();
    const response = await client.post(body);
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { id: null, error: { code: -32700 } },
    ]);
  });

  it("is answered to nobody when it is a notification, and a batch as one", async () => {
    const { client } = await setUp();
    const silent = await client.post('{"jsonrpc":"2.0","method":"server/info"}');
    expect([silent.status, await silent.text()]).toEqual([204, ""]);
    expect(await (await client.post(`[${INFO},${INFO}]`)).json()).toHaveLength(2);
    expect(await (await client.post("[]")).json()).toMatchObject({ error: { code: -32600 } });
  });
});
