import { describe, expect, it } from "vitest";
import { CappedOutput, OutputTail, quoteStart } from "../../src/process/command-output.ts";

describe("a capped output", () => {
  it("keeps everything up to its limit, and nothing beyond", () => {
    const output = new CappedOutput(4);
    expect([output.add(Buffer.from("ab")), output.add(Buffer.from("cd"))]).toEqual([true, true]);
    expect(output.text()).toEqual({ text: "abcd", exact: true });
    expect([output.add(Buffer.from("e")), output.add(Buffer.from("fgh"))]).toEqual([false, false]);
    expect(output.text().text).toBe("");
  });

  it("reads a character that two chunks share, and says when bytes are none", () => {
    const output = new CappedOutput(8);
    for (const byte of Buffer.from("\u00e9")) output.add(Buffer.of(byte));
    expect(output.text()).toEqual({ text: "\u00e9", exact: true });
    output.add(Buffer.of(0xff));
    expect(output.text()).toEqual({ text: "\u00e9\ufffd", exact: false });
  });
});

// H67
describe("a quote", () => {
  it("of the end begins at a character, of the start ends at one and tells the length", () => {
    const tail = new OutputTail(4);
    tail.add(Buffer.from("x\u20ac\u20ac"));
    expect(tail.text()).toBe("\u20ac");
    expect(quoteStart("\u20ac\u20ac", 5)).toBe("\u20ac\u2026 (6 bytes in all)");
    expect(quoteStart("\u20ac\u20ac", 6)).toBe("\u20ac\u20ac");
  });
});
