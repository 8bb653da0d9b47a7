import { describe, expect, test } from "vitest";
import { calls, openTestHost, resultsOf } from "../harness/test-host.ts";

const files = {
  "README.md": "one\ntwo needle\nthree",
  "src/a.ts": "needle\nNEEDLE",
  "src/deep/b.ts": "no",
  "node_modules/x/index.js": "needle",
};

/** What a tool answers to an input in a workspace of a few files. */
async function answer(name: string, input: object): Promise<unknown> {
  const agents = { main: [calls({ name, input, id: "c1" }), { text: "done" }] };
  const host = await openTestHost({ agents, files });
  const report = await host.run("go");
  return resultsOf(await host.transcript(report.transcript!.sessionId))["c1"];
}

const text = (value: string) => ({ type: "text", value });
const error = (value: string) => ({ type: "error-text", value: expect.stringContaining(value) });

describe("read", () => {
  test.each([
    [{ path: "README.md" }, text("one\ntwo needle\nthree")],
    [{ path: "README.md", from: 2, lines: 1 }, text("two needle\n[1 more lines; read from 3]")],
    [{ path: "README.md", from: 4 }, error("has 3 lines; line 4 is beyond them")],
    [{ path: "missing" }, error("does not exist")],
    [{ path: "../other" }, error("is outside the workspace")],
  ])("of %j", async (input, expected) => {
    expect(await answer("read", input)).toEqual(expected);
  });
});

describe("list", () => {
  test.each([
    [{}, text("README.md\nsrc/")],
    [{ path: "src", depth: 2 }, text("src/a.ts\nsrc/deep/\nsrc/deep/b.ts")],
    [{ path: "README.md" }, error("is not a directory")],
  ])("of %j", async (input, expected) => {
    expect(await answer("list", input)).toEqual(expected);
  });
});

describe("search", () => {
  test.each([
    [{ text: "needle" }, text("README.md:2: two needle\nsrc/a.ts:1: needle")],
    [{ text: "needle", ignoreCase: true, path: "src" }, text("src/a.ts:1: needle\nsrc/a.ts:2: NEEDLE")],
    [{ text: "needle", ending: ".md" }, text("README.md:2: two needle")],
    [{ text: "[a-z" }, text("no match")],
  ])("for %j", async (input, expected) => {
    expect(await answer("search", input)).toEqual(expected);
  });
});

test("write is asked about and then answers what it wrote", async () => {
  expect(await answer("write", { path: "new/file.txt", content: "ü" })).toEqual(
    text("wrote 2 bytes to new/file.txt"),
  );
});

test("run does not exist where commands are off", async () => {
  expect(await answer("run", { argv: ["ls"] })).toEqual(error("there is no tool 'run'"));
});
