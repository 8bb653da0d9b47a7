import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SseParser, type Frame } from "../../console/stream/sse-parser.ts";

function framesOf(pieces: readonly string[]): readonly Frame[] {
  const parser = new SseParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

describe("server-sent events", () => {
  test("are taken apart as browsers do", () => {
    expect(
      framesOf([
        "\u{feff}data: a\ndata:b\nid: 7\n\n: comment\n\nevent: control\ndata\n\nevent: gone\n\ndata:  two\r\n\r\ndata: x\r\r",
      ]),
    ).toEqual([
      { event: "message", id: "7", data: "a\nb" },
      { event: "control", id: undefined, data: "" },
      { event: "message", id: undefined, data: " two" },
      { event: "message", id: undefined, data: "x" },
    ]);
  });

  test("are the same however the stream is cut", () => {
    const stream = "data: a\r\nid: 1\r\n\r\nevent: e\ndata: b\rdata: c\r\rdata: d\n\n";
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1 }), (sizes) => {
        const pieces: string[] = [];
        for (let at = 0, next = 0; at < stream.length; next += 1) {
          const size = sizes[next % sizes.length]!;
          pieces.push(stream.slice(at, at + size));
          at += size;
        }
        expect(framesOf(pieces)).toEqual(framesOf([stream]));
      }),
    );
  });

  test("leave a frame out that never ended", () => {
    expect(framesOf(["data: whole\n\ndata: half"])).toEqual([
      { event: "message", id: undefined, data: "whole" },
    ]);
  });
});
