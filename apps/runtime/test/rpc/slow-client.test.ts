import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { EventEmitter } from "../../src/events/event-emitter.ts";
import { memoryEventLog } from "../../src/events/memory-event-log.ts";
import { untoldChanges } from "../../src/store/changes.ts";
import type { Dispatcher } from "../../src/rpc/dispatcher.ts";
import { connectStdio } from "../../src/rpc/stdio-server.ts";

const ASKED = 2000;
const ANSWER = "x".repeat(64 * 1024);

function setUp() {
  const input = new PassThrough();
  const output = new PassThrough();
  let handled = 0;
  const dispatcher: Dispatcher = {
    handle: async () => {
      handled += 1;
      return ANSWER;
    },
    close: () => undefined,
  };
  const { signal } = new AbortController();
  const events = new EventEmitter(memoryEventLog());
  const connection = connectStdio({
    input,
    output,
    dispatcher,
    state: { events, changes: untoldChanges },
    signal,
  });
  return { input, output, connection, handled: () => handled };
}

/** Writes as a pipe does: no more than it takes. */
async function writeAll(input: PassThrough): Promise<void> {
  for (let sent = 0; sent < ASKED; sent += 1) {
    if (input.write(`{"call":${sent}}\n`)) continue;
    await new Promise<void>((resolve) => input.once("drain", () => resolve()));
  }
}

it("reads no more of a client that does not read its answers, and answers everything once it does", async () => {
  const { input, output, connection, handled } = setUp();
  const writing = writeAll(input);
  let before = -1;
  while (handled() !== before) {
    before = handled();
    await sleep(50);
  }
  expect(handled()).toBeGreaterThan(0);
  expect(handled()).toBeLessThan(ASKED);
  let answered = 0;
  output.on("data", (chunk: Buffer) => {
    answered += chunk.filter((byte) => byte === 0x0a).length;
  });
  await writing;
  await vi.waitUntil(() => answered === ASKED, { timeout: 10_000 });
  expect(handled()).toBe(ASKED);
  connection.stop();
  await connection.close();
});

it("answers what was read before its end, also of a line without an end", async () => {
  const { input, output, connection, handled } = setUp();
  output.resume();
  input.end('{"call":1}\n{"call":2}');
  await connection.gone;
  connection.stop();
  await connection.close();
  expect(handled()).toBe(2);
});
