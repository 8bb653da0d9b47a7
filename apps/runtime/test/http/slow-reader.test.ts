import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openTestHost } from "../harness/test-host.ts";
import { HttpClient, TOKEN } from "./support/http-client.ts";
import { frameOf, framesOf, Seen } from "./support/stream-client.ts";

const EVENTS = 200;
/** More than the buffers of the two systems between them hold. */
const TEXT = "x".repeat(64 * 1024);

/** Opens a stream whose client reads nothing until it is told to; then everything until the end, or until a text has come. */
async function openUnread(client: HttpClient, path: string): Promise<(last?: string) => Promise<Seen>> {
  const { host, port } = await client.address;
  const socket = connect(port, host);
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
  await sleep(50);
  return async (last) => {
    const pieces: string[] = [];
    socket.setEncoding("latin1").on("data", (piece: string) => {
      const tail = (pieces.at(-1) ?? "").slice(-100) + piece;
      pieces.push(piece);
      if (last !== undefined && tail.includes(last)) socket.destroy();
    });
    socket.resume();
    await new Promise<void>((resolve) => socket.once("close", () => resolve()));
    const text = pieces.join("");
    const body = text.slice(text.indexOf("\r\n\r\n") + 4);
    const seen = new Seen();
    const frames = body.replaceAll(/(?:^|\r\n)[0-9a-f]+\r\n/g, "").split("\n\n");
    for (const frame of frames.slice(0, -1)) seen.take(frameOf(frame));
    return seen;
  };
}

describe("a reader that leaves its events where they are", () => {
  it("is cut off with the id that it goes on behind, and holds no memory meanwhile", async () => {
    const host = await openTestHost({ state: "sqlite" });
    const client = new HttpClient(host, { times: { pollMs: 20, stallMs: 300, graceMs: 5000 } });
    const { id: session } = await host.state.store.createSession({ member: "writer", role: "main" });
    const readAll = await openUnread(client, `/events?session=${session}`);
    const before = process.memoryUsage();
    for (let number = 1; number <= EVENTS; number += 1) {
      host.state.events.emit({ session }, "notice", { text: `${number} ${TEXT}` });
      host.state.events.emit({ session }, "assistant_delta", { text: "delta" });
      if (number % 20 === 0) await sleep(1);
    }
    await sleep(1000);
    const held = process.memoryUsage().external - before.external;
    const seen = await readAll();
    expect(held).toBeLessThan((EVENTS * TEXT.length) / 2);
    expect(seen.controls.at(-1)).toEqual({ control: "cut_off", last_id: seen.lastId });
    expect(seen.numbered.length).toBeLessThan(EVENTS);
    const rest = await client.fetch(`/events?session=${session}`, {
      headers: { "last-event-id": seen.lastId! },
    });
    for await (const frame of framesOf(rest)) {
      seen.take(frame);
      if (seen.lastId === String(EVENTS)) break;
    }
    expect(seen.numbered.map(({ seq }) => seq)).toEqual(
      Array.from({ length: EVENTS }, (_, index) => index + 1),
    );
  });

  it("and comes back to them misses no number, and is told how many deltas it missed", async () => {
    const host = await openTestHost();
    const client = new HttpClient(host, { times: { pollMs: 20 } });
    const { id: session } = await host.state.store.createSession({ member: "writer", role: "main" });
    const readAll = await openUnread(client, `/events?session=${session}`);
    for (let number = 1; number <= EVENTS; number += 1) {
      host.state.events.emit({ session }, "notice", { text: `${number} ${TEXT}` });
      host.state.events.emit({ session }, "assistant_delta", { text: "delta" });
      if (number % 20 === 0) await sleep(1);
    }
    const seen = await readAll('"control":"skipped"');
    expect(seen.numbered).toHaveLength(EVENTS);
    const skipped = seen.controls.flatMap(({ control, deltas }) => (control === "skipped" ? [deltas] : []));
    const sent = seen.events.length - seen.numbered.length;
    expect(skipped.length).toBeGreaterThan(0);
    expect(sent + skipped.reduce((sum, each) => sum + each, 0)).toBe(EVENTS);
  });
});
