import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineInput } from "../../src/rpc/line-input.ts";

function read(chunks: readonly Buffer[], maxBytes?: number) {
  const lines: string[] = [];
  const problems: string[] = [];
  const input = new LineInput(
    { line: (text) => void lines.push(text), unreadable: (problem) => void problems.push(problem) },
    maxBytes,
  );
  for (const chunk of chunks) input.take(chunk);
  input.end();
  return { lines, problems };
}

describe("lines of a client", () => {
  it("are the same however their bytes are cut", () => {
    const text = fc.string({ unit: "grapheme" }).map((line) => line.replaceAll("\n", " "));
    fc.assert(
      fc.property(fc.array(text), fc.integer({ min: 1, max: 7 }), (lines, size) => {
        const bytes = Buffer.from(lines.join("\n"));
        const chunks: Buffer[] = [];
        for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
        expect(read(chunks)).toEqual({ lines: lines.filter((line) => line.trim() !== ""), problems: [] });
      }),
    );
  });

  it("that are too long are told once and kept nowhere; the next one is read", () => {
    const long = Buffer.alloc(100, "x");
    const { lines, problems } = read([long, long, Buffer.from("\nnext\n")], 150);
    expect(lines).toEqual(["next"]);
    expect(problems).toEqual([expect.stringContaining("at most 150 bytes")]);
    expect(read([Buffer.alloc(150, "x"), Buffer.from("\n")], 150).lines).toHaveLength(1);
  });

  it("that are no UTF-8 are told; the next one is read", () => {
    const { lines, problems } = read([Buffer.from([0xc3, 0x28, 0x0a]), Buffer.from("next")]);
    expect({ lines, problems }).toEqual({ lines: ["next"], problems: ["a line must be UTF-8"] });
  });
});
