import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { manualClock } from "@basis/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { LineTransport } from "../../src/mcp/line-transport.ts";
import type { ProgramListener } from "../../src/mcp/server-program.ts";

interface Driven {
  readonly transport: LineTransport;
  readonly got: JSONRPCMessage[];
  readonly written: string[];
  readonly stopped: () => boolean;
  readonly program: ProgramListener;
}

/** A transport over a program that the test plays. */
async function drive(errorTail = ""): Promise<Driven> {
  let program: ProgramListener | undefined;
  let isStopped = false;
  const written: string[] = [];
  const transport = new LineTransport({
    program: { program: "/x", args: [], cwd: "/", env: {} },
    clock: manualClock(),
    start(_program, listener) {
      program = listener;
      return {
        write: async (text) => void written.push(text),
        errorTail: () => errorTail,
        stop: async () => {
          isStopped = true;
        },
      };
    },
  });
  const got: JSONRPCMessage[] = [];
  Object.assign(transport, { onmessage: (message: JSONRPCMessage) => void got.push(message) });
  await transport.start();
  return { transport, got, written, stopped: () => isStopped, program: program! };
}

const response = fc.record({
  jsonrpc: fc.constant("2.0"),
  id: fc.nat(),
  result: fc.record({ value: fc.string({ unit: "binary" }) }),
});
const notice = fc.record({ jsonrpc: fc.constant("2.0"), method: fc.constant("notifications/x") });
const noise = fc.constantFrom("", "listening on 80", "{", "null", "[]", '{"jsonrpc":"1.0"}', "\u0000");
const line = fc.oneof(
  fc.oneof(response, notice).map((message) => ({ text: JSON.stringify(message), message })),
  noise.map((text) => ({ text, message: undefined })),
);

test("messages come once and answers in order, however their bytes are cut and whatever stands between them", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
      async (lines, sizes) => {
        const { got, program } = await drive();
        const bytes = Buffer.from(lines.map(({ text }) => `${text}\n`).join(""));
        for (let at = 0; at < bytes.length;) {
          const size = sizes.next().value;
          program.output(bytes.subarray(at, at + size));
          at += size;
        }
        const sent = lines.flatMap(({ message }) => (message === undefined ? [] : [message]));
        await new Promise((resolve) => setImmediate(resolve));
        const answers = (messages: readonly object[]): readonly object[] =>
          messages.filter((each) => "id" in each);
        expect(answers(got)).toEqual(answers(sent));
        expect(got).toHaveLength(sent.length);
      },
    ),
  );
});

test("an answer comes after what the notices before it set off, however many there are", async () => {
  const { got, program } = await drive();
  const notice = '{"jsonrpc":"2.0","method":"notifications/x"}\n';
  program.output(Buffer.from(`${notice.repeat(10_000)}{"jsonrpc":"2.0","id":1,"result":{}}\n`));
  expect(got).toHaveLength(10_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(got.at(-1)).toMatchObject({ id: 1 });
});

test("what came before the end is heard before it", async () => {
  const { transport, got, program } = await drive("its last words");
  const heard: number[] = [];
  Object.assign(transport, { onclose: () => void heard.push(got.length) });
  program.output(
    Buffer.from('{"jsonrpc":"2.0","method":"notifications/x"}\n{"jsonrpc":"2.0","id":1,"result":{}}\n'),
  );
  program.ended("it closed its output");
  program.ended("again");
  expect(heard).toEqual([2]);
  expect(transport.endReason()).toBe("it closed its output; its last errors: its last words");
});

test("a closed one writes nothing, and was not ended by its program", async () => {
  const { transport, written, stopped } = await drive();
  await transport.send({ jsonrpc: "2.0", method: "notifications/x" });
  await transport.close();
  await expect(transport.send({ jsonrpc: "2.0", method: "notifications/y" })).rejects.toThrow("closed");
  expect(written).toEqual(['{"jsonrpc":"2.0","method":"notifications/x"}\n']);
  expect(transport.endReason()).toBeUndefined();
  expect(stopped()).toBe(true);
});

test("a message without an end stops the program, and holds no more than its bound", async () => {
  const { transport, program, stopped } = await drive();
  const piece = Buffer.alloc(1 << 20, "x");
  for (let sent = 0; sent < 8; sent += 1) program.output(piece);
  expect(stopped()).toBe(false);
  program.output(Buffer.from("x"));
  expect(stopped()).toBe(true);
  expect(transport.endReason()).toContain("more than 8388608 bytes");
});
