import { PassThrough } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MessageStream } from "../../src/rpc/message-stream.ts";

interface Message {
  readonly jsonrpc: "2.0";
  readonly id?: number | null;
  readonly method?: string;
}

/** A stream whose requests are answered one after another, and every line that came out of it. */
function echo() {
  const input = new PassThrough();
  const output = new PassThrough();
  const stream = new MessageStream<Message>({ input, output, refusal: (object) => object });
  let text = "";
  output.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  const heard: Message[] = [];
  const work = async (): Promise<void> => {
    const writer = stream.writable.getWriter();
    const reader = stream.readable.getReader();
    for (;;) {
      const { value } = await reader.read();
      heard.push(value!);
      if (value!.id !== undefined) await writer.write({ jsonrpc: "2.0", id: value!.id });
    }
  };
  void work();
  const lines = (): readonly { id: number | null; error?: { code: number } }[] =>
    text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return { input, stream, heard, lines };
}

const line = fc.oneof(
  fc.constant("request" as const),
  fc.constant("notification" as const),
  fc.string({ unit: "binary" }).map((text) => `#${text.replaceAll("\n", "")}`),
);

test("every request is answered once, every line that is no message is refused once, whatever the bytes are cut into", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 40 }),
      fc.integer({ min: 1, max: 50 }),
      async (kinds, size) => {
        const { input, stream, heard, lines } = echo();
        const texts = kinds.map((kind, id) => {
          if (kind === "request") return JSON.stringify({ jsonrpc: "2.0", id, method: "m" });
          return kind === "notification" ? JSON.stringify({ jsonrpc: "2.0", method: "n" }) : kind;
        });
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(""));
        for (let at = 0; at < bytes.length; at += size) input.write(bytes.subarray(at, at + size));
        input.end();
        await stream.gone;
        await stream.answered();
        await stream.flush();
        const requests = kinds.flatMap((kind, id) => (kind === "request" ? [id] : []));
        const answered = lines().filter(({ error }) => error === undefined);
        expect(answered.map(({ id }) => id)).toEqual(requests);
        expect(heard).toHaveLength(requests.length + kinds.filter((kind) => kind === "notification").length);
        const refused = lines().filter(({ error }) => error !== undefined);
        expect(refused).toHaveLength(kinds.length - heard.length);
        expect(refused.every(({ id, error }) => id === null && error!.code === -32700)).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});
