import { describe, expect, it } from "vitest";
import { formatLine } from "../../src/cli/terminal/render-events.ts";

const stream = { isTTY: false };

describe("formatLine", () => {
  it("sets details below the text, and a child's lines in", () => {
    const line = { label: "preview", tone: "note", text: "what", details: ["a", "b"] } as const;
    expect(formatLine(line, { stream, child: false })).toBe("  preview   what\n            a\n            b");
    expect(formatLine(line, { stream, child: true })).toContain("    preview   what");
  });

  // S12
  it("shows what would steer a terminal, wherever it comes from", () => {
    const text = "tool\u001B[2J\nfaked line\u202E";
    expect(
      formatLine({ label: "tool", tone: "plain", text, details: [text] }, { stream, child: false }),
    ).toBe(
      "  tool      tool\\u{1b}[2J\\u{a}faked line\\u{202e}\n            tool\\u{1b}[2J\\u{a}faked line\\u{202e}",
    );
  });
});
