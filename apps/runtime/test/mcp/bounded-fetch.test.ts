import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { boundedFetch } from "../../src/mcp/bounded-fetch.ts";

async function answering(type: string, body: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": type }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function read(type: string, body: string): Promise<string> {
  const answer = await boundedFetch(100)(await answering(type, body));
  return answer.text();
}

test("a body of at most the bound is read, a longer one ends with an error", async () => {
  expect(await read("application/json", "x".repeat(100))).toHaveLength(100);
  await expect(read("application/json", "x".repeat(101))).rejects.toThrow("more than 100 bytes");
});

test("a stream may be longer than the bound, one event of it not", async () => {
  const event = `data: ${"x".repeat(80)}\n\n`;
  expect(await read("text/event-stream", event.repeat(20))).toHaveLength(event.length * 20);
  expect(await read("text/event-stream", event.replaceAll("\n", "\r\n").repeat(20))).toContain("data");
  await expect(read("text/event-stream", `data: ${"x".repeat(50)}\n`.repeat(3))).rejects.toThrow(
    "more than 100",
  );
});
