import { describe, expect, it } from "vitest";
import { parseCassette } from "../../../src/providers/cassette/read-cassette.ts";
import { answerOf, ask, modelOf, record } from "./recording.ts";

const whole = await record(
  modelOf(() => ["ok"]),
  (model) => answerOf(model, ask("go")),
);

describe("a broken cassette", () => {
  const lines = whole.trimEnd().split("\n");
  const without = (index: number): string => `${lines.filter((_, at) => at !== index).join("\n")}\n`;
  const changed = (index: number, change: (line: string) => string): string =>
    `${lines.map((line, at) => (at === index ? change(line) : line)).join("\n")}\n`;

  it("is a whole one before it is broken", () => {
    expect(parseCassette(whole, "c").rounds).toHaveLength(1);
  });

  it.each([
    ["empty", "", "c:1: "],
    ["another program's", '{"hello":1}\n', "c:1: is not the first line of a cassette"],
    [
      "of a later version",
      changed(0, (line) => line.replace('"cassette":1', '"cassette":2')),
      "c:1: /cassette: must be 1",
    ],
    ["cut off", whole.slice(0, -5), "cut off"],
    ["without its head", without(1), "names a message or head that does not stand before it"],
    ["with a key twice", changed(3, (line) => `{"round":0,${line.slice(1)}`), "c:4: "],
    [
      "with an unknown member",
      changed(3, (line) => `{"rond":0,${line.slice(1)}`),
      '"rond" is not known here',
    ],
    [
      "with an unknown event",
      changed(3, (line) => line.replace('"type":"text"', '"type":"txt"')),
      "c:4: /events/0/type: must be one of",
    ],
    [
      "with a round that does not end",
      changed(3, (line) => line.replace('"type":"finish"', '"type":"text"')),
      "does not end with `finish`",
    ],
    [
      "with its first line again",
      `${whole}${lines[0]}\n`,
      "c:5: is neither a message nor a head nor a round",
    ],
  ])("%s, is refused with its line", (_what, text, told) => {
    expect(() => parseCassette(text, "c")).toThrow(told);
  });
});
