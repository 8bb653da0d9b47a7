import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readToolsFile } from "../../src/declared/tools-file.ts";

function workspace(text: string): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "basis-tools-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, ".basis"));
  writeFileSync(join(root, ".basis/tools.json"), text);
  return root;
}

async function problemsOf(text: string): Promise<string> {
  const root = workspace(text);
  const error = await readToolsFile(root, {}).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ name: "StartError", code: "workspace", exitCode: 5 });
  return (error as Error).message.replaceAll(`${root}/`, "");
}

const lint = { name: "lint", description: "Lints.", argv: ["node", "lint.mjs"] };
const file = (...tools: readonly object[]): string => JSON.stringify({ schema: 1, tools }, null, 1);
const taking = (argv: readonly string[], properties: object): string =>
  file({ ...lint, argv: ["node", ...argv], input: { properties } });

test("a tool is read, its defaults filled in and its input closed", async () => {
  const input = { properties: { path: { type: "string" } }, required: ["path"] };
  const root = workspace(file({ ...lint, argv: ["node", "lint.mjs", "--", "{path}"], input }));
  expect((await readToolsFile(root, {}))?.tools).toEqual([
    {
      ...lint,
      argv: ["node", "lint.mjs", "--", "{path}"],
      input: { ...input, type: "object", additionalProperties: false },
      level: "process",
      timeoutMs: 120_000,
      env: [],
      files: [],
    },
  ]);
});

test.each([
  ["no JSON", "nothing", /^\.basis\/tools\.json:1: /],
  ["another schema", '{"schema": 2, "tools": []}', /schema: must be 1/],
  ["a misspelt key", '{"schema": 1,\n"tool": []}', /:2: .*did you mean "tools"\?/],
  [
    "a misspelt field",
    file({ ...lint, timeout: 5 }),
    /"timeout" is not known here.*did you mean "timeout_ms"\?/,
  ],
  ["no description", file({ name: "a", argv: ["x"] }), /"description" is missing/],
  ["a level that is lower", file({ ...lint, level: "none" }), /level: must be one of "process", "external"/],
  ["an effect of its own", file({ ...lint, effect: "read" }), /"effect" is not known here/],
  ["a command line", file({ ...lint, argv: "node lint.mjs" }), /argv: must be an array, not string/],
  ["no word", file({ ...lint, argv: [] }), /must begin with a program/],
  [
    "a program that is a value",
    taking(["x"], {}).replace('"node"', '"{x}"'),
    /the program itself must be written out/,
  ],
  [
    "a value that is no property",
    taking(["{path}"], {}),
    /"path" is no property of this tool's input; known are none/,
  ],
  ["a value named like a prototype's", taking(["{constructor}"], {}), /"constructor" is no property/],
  ["a property that nothing takes", taking([], { path: { type: "string" } }), /no word of argv takes "path"/],
  ["a value without a type", taking(["{path}"], { path: {} }), /"path" must have the type string/],
  ["a list in a word's place", taking(["{path}"], { path: { type: "array" } }), /"path" must have the type/],
  [
    "a text in a list's place",
    taking(["{path...}"], { path: { type: "string" } }),
    /must be an array whose items/,
  ],
  ["a list inside a word", taking(["-x{path...}"], { path: { type: "array" } }), /must be the whole word/],
  ["a brace alone", taking(["{"], {}), /a brace stands alone/],
  [
    "a schema that is none",
    taking(["{a}"], { a: { type: "string", minLength: "x" } }),
    /:\d+: \/tools\/0\/input: .*schema/,
  ],
  [
    "a model's key",
    file({ ...lint, env: ["OPENAI_API_KEY"] }),
    /is a model provider's key, which no tool gets/,
  ],
  ["a variable's name", file({ ...lint, env: ["A=B"] }), /"A=B" is no variable's name/],
  ["a file outside", file({ ...lint, files: ["/etc/passwd"] }), /relative path inside the workspace/],
  ["a timeout without an end", file({ ...lint, timeout_ms: 1e12 }), /must be 3600000 or less/],
])("%s refuses, naming file and line", async (_what, text, message) => {
  expect(await problemsOf(text)).toMatch(message);
});

// S19
test.each(["read", "write", "run", "spawn", "mcp__a__b", "basis_output_x", "", "a b", "a".repeat(65), "1a"])(
  "a tool cannot be called '%s'",
  async (name) => {
    expect(await problemsOf(file({ ...lint, name }))).toMatch(/\/tools\/0\/name: /);
  },
);

// S19
test("two tools cannot have one name", async () => {
  expect(await problemsOf(file(lint, lint))).toMatch(/\/tools\/1\/name: "lint" is declared twice/);
});
