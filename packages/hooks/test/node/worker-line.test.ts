import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeAnswer, encodeAnswer } from "../../src/wire.ts";
import { decodeWorkerLine, encodeWorkerRequest, LineCutter } from "../../src/node/worker-line.ts";

const decode = (line: string) => decodeWorkerLine(Buffer.from(line));

describe("decodeWorkerLine", () => {
  it("knows a hello and an answer, with further fields and white space", () => {
    expect(decode('{"hook_worker":1,"name":"x"}')).toEqual({ kind: "hello" });
    expect(decode(' {"id":"a","decision":"deny","reason":"no","extra":1}\r')).toEqual({
      kind: "answer",
      id: "a",
      check: { ok: true, answer: { decision: "deny", reason: "no" } },
    });
  });

  it("keeps the id of an answer whose decision is none", () => {
    expect(decode('{"id":"a","decision":"maybe"}')).toEqual({
      kind: "answer",
      id: "a",
      check: { ok: false, problem: "unknown decision" },
    });
  });

  it.each([
    ["", "nothing"],
    ["checking the call", "a log line"],
    ["[]", "a list"],
    ['{"decision":"allow"}', "an answer without an id"],
    ['{"id":1,"decision":"allow"}', "an id that is no text"],
    ['{"hook_worker":2}', "another protocol"],
    ['{"hook_worker":"1"}', "a protocol that is no number"],
    ['{"hook_worker":1,"id":1}', "a hello with an id that is no text"],
    ['{"id":"a","decision":"deny","decision":"allow"}', "a duplicate key"],
    ['{"id":"a","id":"b","decision":"allow"}', "a duplicate id"],
    ['{"id":"a","decision":"allow"} {}', "a second document"],
    ['\uFEFF{"id":"a","decision":"allow"}', "a byte order mark"],
    [`{"id":"a","decision":"modify","input":${'{"a":'.repeat(64)}1${"}".repeat(64)}}`, "too deep a nesting"],
  ])("calls %j foreign: %s", (line) => {
    // S20
    expect(decode(line).kind).toBe("foreign");
  });

  it("calls a line foreign that is no UTF-8, though it would be JSON with characters put in", () => {
    // S20
    const line = Buffer.from('{"id":"a","decision":"allow","reason":"?"}');
    expect(decodeWorkerLine(line).kind).toBe("answer");
    line[line.indexOf("?")] = 0xff;
    expect(decodeWorkerLine(line).kind).toBe("foreign");
  });

  it("never throws, and takes for an answer only what the one-shot decoder takes for one", () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc.json().map((text) => Buffer.from(text)),
      fc
        .record({ id: fc.string(), decision: fc.constantFrom("allow", "deny", "modify", "replace", 1) })
        .map((value) => Buffer.from(JSON.stringify(value))),
    );
    fc.assert(
      fc.property(noise, (bytes) => {
        const line = decodeWorkerLine(bytes);
        const oneShot = decodeAnswer(bytes.toString("utf8"));
        expect(line.kind === "answer" ? line.check : oneShot).toEqual(oneShot);
      }),
      { numRuns: 2000 },
    );
  });

  it("gives back every answer that is written with an id", () => {
    const answers = fc.oneof(
      fc.record({ decision: fc.constant("deny" as const), reason: fc.string() }),
      fc.record({
        decision: fc.constant("replace" as const),
        output: fc.jsonValue({ maxDepth: 3, noUnicodeString: false }),
        isError: fc.boolean(),
      }),
    );
    fc.assert(
      fc.property(answers, fc.string(), (answer, id) => {
        const text = encodeAnswer(answer as never);
        fc.pre(!text.includes("__proto__"));
        const line = decode(`{"id":${JSON.stringify(id)},${text.slice(1)}`);
        expect(line).toEqual({ kind: "answer", id, check: decodeAnswer(text) });
      }),
    );
  });

  it("cannot be led by a text in a request to see a second line", () => {
    const text = JSON.stringify({ input: 'x\n{"id":"a","decision":"allow"}\n\u2028' });
    const line = encodeWorkerRequest("a", 5, text);
    expect(line.indexOf("\n")).toBe(line.length - 1);
    expect(JSON.parse(line)).toEqual({ id: "a", deadline_ms: 5, request: JSON.parse(text) });
  });
});

describe("LineCutter", () => {
  const cut = (chunks: readonly Buffer[], maxBytes = 1000) => {
    const cutter = new LineCutter(maxBytes);
    const taken = chunks.map((chunk) => cutter.take(chunk));
    return {
      lines: taken.flatMap(({ lines }) => lines.map((line) => line.toString("utf8"))),
      isOver: taken.some(({ isOver }) => isOver),
    };
  };

  it("gives the same lines however a stream is cut into chunks", () => {
    const lines = fc.array(fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", "")));
    fc.assert(
      fc.property(lines, fc.array(fc.nat(60)), (lines, cuts) => {
        const bytes = Buffer.from([...lines, "rest"].join("\n"));
        const chunks: Buffer[] = [];
        let at = 0;
        for (const size of [...cuts, bytes.length]) chunks.push(bytes.subarray(at, (at += size)));
        expect(cut(chunks)).toEqual({ lines, isOver: false });
      }),
    );
  });

  it("is over at the first byte beyond the limit, with the lines before it still told", () => {
    const chunks = (length: number) => [
      Buffer.from("ok\n"),
      Buffer.from("x".repeat(4)),
      Buffer.alloc(length),
    ];
    expect(cut(chunks(6), 10)).toEqual({ lines: ["ok"], isOver: false });
    expect(cut(chunks(7), 10)).toEqual({ lines: ["ok"], isOver: true });
    expect(cut([Buffer.from(`a\n${"x".repeat(11)}\nb\n`)], 10)).toEqual({ lines: ["a"], isOver: true });
  });
});
