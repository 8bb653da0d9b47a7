import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UsageError } from "../../src/cli/terminal/exit-code.ts";
import { readSecret } from "../../src/cli/arguments/secret-source.ts";

let directory: string;
beforeAll(() => void (directory = mkdtempSync(join(tmpdir(), "basis-secret-"))));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const interrupt = { signal: new AbortController().signal } as never;

async function read(content: string | Buffer): Promise<string> {
  writeFileSync(join(directory, "secret"), content);
  return readSecret({ option: "--text", given: "secret" }, { directory, interrupt });
}

async function refusal(reading: Promise<string>): Promise<string> {
  const error: unknown = await reading.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(UsageError);
  return (error as UsageError).message;
}

describe("a text that must not stand among the arguments", () => {
  it("is the file's content without the line feed at its end, whatever lines it has", async () => {
    expect(await read("one\ntwo\n")).toBe("one\ntwo");
    expect(await read("one\ntwo\n\n")).toBe("one\ntwo\n");
    expect(await read("windows\r\n")).toBe("windows");
    expect(await read(" blanks stay ")).toBe(" blanks stay ");
  });

  it("has 4 characters at least and 64 KiB at most, and is UTF-8", async () => {
    expect(await refusal(read("abc\n"))).toContain("fewer than 4 characters");
    expect(await refusal(read("x".repeat(65_537)))).toContain("shorten it to 65536 or less");
    expect(await refusal(read(Buffer.from([0xff, 0xfe, 0xff, 0xfe])))).toContain("is not UTF-8");
    expect(await read("x".repeat(65_536))).toHaveLength(65_536);
  });

  it("is never shown when it was given in the file's place", async () => {
    const told = await refusal(readSecret({ option: "--text", given: "sk-mine" }, { directory, interrupt }));
    expect(told).toContain("names no file that can be read");
    expect(told).not.toContain("sk-mine");
    const place = readSecret({ option: "--text", given: "." }, { directory, interrupt });
    expect(await refusal(place)).toContain("it is not a regular file");
  });
});
