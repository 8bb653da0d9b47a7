import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Ended } from "./support/basis-process.ts";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";

let bench: Bench;
let model: string;
beforeEach(() => {
  bench = new Bench();
  model = bench.script([{ text: "asked" }]);
});
afterEach(() => bench.remove());

const run = (...argv: string[]): Promise<Ended> => bench.run(["run", "x y", "--model", model, ...argv]);

const hooks = (text: string): string => bench.write(".basis/hooks.json", text);

// S40
describe("a pipe in a file's place is not waited for:", () => {
  it.each([
    ["--output", (pipe: string) => ["--output", pipe]],
    ["--model scripted:", (pipe: string) => ["--model", `scripted:${pipe}`]],
    ["--model cassette:", (pipe: string) => ["--model", `cassette:${pipe}`]],
  ])("%s", async (_name, argv) => {
    const pipe = join(bench.workspace, "pipe");
    execFileSync("mkfifo", [pipe]);
    expect(await run(...argv(pipe))).toMatchObject(refused(5, pipe, /no(?:t a)? regular file/));
  });

  it("a repository's own .git, asked about before each write", async () => {
    rmSync(join(bench.workspace, ".git"), { recursive: true });
    execFileSync("mkfifo", [join(bench.workspace, ".git")]);
    model = bench.script([
      { calls: [{ name: "write", input: { path: "new.txt", content: "x" } }] },
      { text: "no" },
    ]);
    const ended = await run("--approve", "always", "--json");
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.event("tool_completed").data.output).toContain("not a regular file");
  });
});

describe("a hooks.json that is wrong refuses with 5, naming file, line and remedy:", () => {
  it.each([
    ["no JSON", '{\n  "schema": 1,\n  "hooks": [\n', /\.basis\/hooks\.json:\d+: /],
    [
      "an unknown field",
      '{"schema": 1,\n"hooks": [\n{"name":"a","command":["x"],"toools":["read"]}]}',
      /json:3: .*toools/,
    ],
    ["a later schema", '{"schema": 2, "hooks": []}', /schema 2 is not supported/],
    ["a duplicate key", '{"schema": 1,\n"schema": 1, "hooks": []}', /hooks\.json:2: /],
  ])("%s", async (_name, text, told) => {
    hooks(text);
    const ended = await run("--trust-workspace");
    expect(ended).toMatchObject(refused(5, told, "correct hooks.json, or move it away"));
  });

  it("a directory in its place", async () => {
    mkdirSync(join(bench.workspace, ".basis/hooks.json"), { recursive: true });
    expect(await run()).toMatchObject(refused(5, ".basis/hooks.json", "make it a file that you can read"));
  });

  it("the operator's own where others may write it: nothing in it has to be corrected", async () => {
    bench.hook("guard", "", ["read"]);
    chmodSync(bench.config, 0o777);
    const ended = await run();
    expect(ended).toMatchObject(refused(5, "others than its owner may write", "make it yours alone"));
    expect(ended.stderr).not.toContain("correct hooks.json");
  });

  it("a pipe in its place, without waiting for it", async () => {
    mkdirSync(join(bench.workspace, ".basis"));
    execFileSync("mkfifo", [join(bench.workspace, ".basis/hooks.json")]);
    expect(await run()).toMatchObject(refused(5, ".basis/hooks.json"));
  });

  it("that of the operator too", async () => {
    bench.write(join(bench.config, "hooks.json"), "{}", 0o600);
    expect(await run()).toMatchObject(refused(5, join(bench.config, "hooks.json")));
  });
});

describe("an AGENTS.md that is wrong refuses with 5, naming the file:", () => {
  it("one that is too long, and every other that is wrong with it", async () => {
    bench.write("AGENTS.md", "x".repeat(300_000));
    bench.write(join(bench.config, "AGENTS.md"), "\u0000");
    writeFileSync(join(bench.config, "AGENTS.md"), Buffer.from([0xff]));
    expect(await run()).toMatchObject(
      refused(5, /config\/AGENTS\.md: it is not UTF-8/, /workspace\/AGENTS\.md: it has 300000 bytes/),
    );
  });

  it("a link that leads out of the repository", async () => {
    symlinkSync("/etc/hostname", join(bench.workspace, "AGENTS.md"));
    expect(await run()).toMatchObject(
      refused(5, /AGENTS\.md: it is a link that leads out of the repository/),
    );
  });

  it("a pipe, without waiting for it", async () => {
    execFileSync("mkfifo", [join(bench.workspace, "AGENTS.md")]);
    expect(await run()).toMatchObject(refused(5, /AGENTS\.md: it is not a regular file/));
  });

  it("while a link inside the repository is read", async () => {
    symlinkSync("README.md", join(bench.workspace, "AGENTS.md"));
    expect(await run()).toMatchObject({ code: 0, stdout: "asked\n" });
  });
});

describe("a schema file that is wrong refuses with 5, naming file and line:", () => {
  it.each([
    ["no JSON", '{\n "type":\n}', /s\.json:3: .*correct the schema/],
    ["a keyword's value that no schema has", '{\n "type": "objct"\n}', /s\.json:2: .*correct the schema/],
    [
      "a reference to nothing",
      '{\n "properties": {\n  "a": { "$ref": "#/$defs/none" }\n }\n}',
      /s\.json:3: /,
    ],
    ["a list", "[]", /s\.json:1: a JSON Schema is an object/],
  ])("%s", async (_name, text, told) => {
    bench.write("s.json", text);
    expect(await run("--output", "s.json")).toMatchObject(refused(5, told));
  });

  it("one that does not exist", async () => {
    expect(await run("--output", "s.json")).toMatchObject(refused(5, "s.json: there is no such file"));
  });
});

describe("a scripted file that is wrong refuses with 5, naming file, line and remedy:", () => {
  it.each([
    ["no JSON", "{\n\n", /script\.json:\d+: /],
    [
      "an unknown field",
      '{"schema":1,\n"agents":{"main":{\n"rounds":[{"txt":"a"}]}}}',
      /script\.json:3: .*txt/,
    ],
    ["a later schema", '{"schema":2,"agents":{}}', /script\.json:1: .*must be 1/],
  ])("%s", async (_name, text, told) => {
    bench.write(model.replace("scripted:", ""), text);
    expect(await run()).toMatchObject(refused(5, told, "correct the scripted file"));
  });
});

describe("a model that cannot be reached refuses with 5 before anything is sent:", () => {
  it.each([
    ["no model at all", {}, [], /no model: set ANTHROPIC_API_KEY.*--model/],
    ["a missing key", {}, ["--model", "anthropic/claude-sonnet-4-5"], /needs a key; set ANTHROPIC_API_KEY/],
    [
      "a key with a line break",
      { OPENAI_API_KEY: "a\nb" },
      ["--model", "openai/gpt-5"],
      /OPENAI_API_KEY holds/,
    ],
    ["an unknown provider", {}, ["--model", "acme/x"], /acme/],
    [
      "an address that is none",
      { BASIS_BASE_URL: "ftp://x" },
      ["--model", "openai-compatible/x"],
      /BASIS_BASE_URL/,
    ],
    ["a malformed BASIS_MODEL", { BASIS_MODEL: "gpt" }, [], /"gpt" is no model; write provider\/model/],
  ])("%s", async (_name, env, argv, told) => {
    expect(await bench.run(["run", "x y", ...argv], { env })).toMatchObject(refused(5, told));
  });
});

describe("a session that cannot go on refuses with 5:", () => {
  it("one that does not exist", async () => {
    expect(await run("--session", "nobody")).toMatchObject(
      refused(5, "there is no session 'nobody'; see 'basis sessions list'"),
    );
  });
});
