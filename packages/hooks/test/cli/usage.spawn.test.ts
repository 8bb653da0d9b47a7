import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { entry, makeCliFixture, type CliFixture } from "./support/cli-fixture.ts";

const COMMANDS = ["list", "lint", "explain", "test", "trust", "bench"];
const WIDTH = 80;

let fixture: CliFixture;
beforeEach(async () => {
  fixture = await makeCliFixture();
});

const widest = (text: string): number => Math.max(...text.split("\n").map((line) => line.length));

describe("basis-hooks", () => {
  it("shows every command and the exit codes, and its version", async () => {
    const { code, stdout, stderr } = await fixture.run(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const name of COMMANDS) expect(stdout).toContain(`basis-hooks ${name}`);
    expect(stdout).toMatch(/Exit codes[\s\S]*5 +refused/);
    expect((await fixture.run(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+/);
  });

  it("in a directory that is gone refuses with what to do, and helps all the same", () => {
    const gone = (argv: readonly string[]) => {
      const cwd = join(fixture.root, "gone");
      mkdirSync(cwd);
      const script = `rmdir ../gone; exec "$@"`;
      return spawnSync("/bin/sh", ["-c", script, "sh", process.execPath, entry, ...argv], {
        cwd,
        env: fixture.env,
        encoding: "utf8",
      });
    };
    expect(gone(["list"])).toMatchObject({
      status: 5,
      stdout: "",
      stderr: "basis-hooks: the current directory is gone; change to another one (cd)\n",
    });
    expect(gone(["list", "--help"])).toMatchObject({ status: 0, stderr: "" });
  });

  it.each(COMMANDS)("explains %s within 80 columns, and every option of it", async (name) => {
    const { code, stdout } = await fixture.run([name, "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("--json");
    expect(stdout).toContain("Examples");
    expect(widest(stdout)).toBeLessThanOrEqual(WIDTH);
  });

  it.each([
    ["no command", [], "a command is missing"],
    ["a mistyped command", ["explian"], "did you mean 'explain'?"],
    ["an unknown command", ["frobnicate"], "there is no command 'frobnicate'"],
    ["a mistyped option", ["list", "--workspcae", "x"], "did you mean '--workspace'?"],
    ["a short option", ["list", "-w"], "unknown option '-w'"],
    ["a value missing", ["list", "--workspace"], "--workspace needs a value: --workspace DIR"],
    ["another option as a value", ["list", "--workspace", "--no-global"], "--workspace needs a value"],
    ["a value for a flag", ["list", "--json=1"], "--json takes no value"],
    ["a word too many", ["list", "x"], "unexpected argument 'x'"],
    ["a word missing", ["explain"], "CALL.json is missing"],
    ["a bad number", ["bench", "--runs", "0"], "--runs takes a whole number of at least 1, not '0'"],
    ["options that exclude each other", ["list", "--no-global", "--global", "x"], "exclude each other"],
    ["two ways to name tools", ["lint", "--tools", "a", "--tools-file", "b"], "exclude each other"],
    ["a status that grants", ["trust", "--status", "--yes"], "--status only shows: leave out --yes"],
    ["a status that revokes", ["trust", "--status", "--revoke"], "exclude each other"],
  ])("refuses %s with 2", async (_, argv, says) => {
    const { code, stdout, stderr } = await fixture.run(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(says);
  });

  it("names every wrong argument at once", async () => {
    const { stderr } = await fixture.run(["bench", "--rnus", "3", "--jsno", "word"]);
    expect(stderr).toContain("did you mean '--runs'?");
    expect(stderr).toContain("did you mean '--json'?");
    expect(stderr).toContain("see: basis-hooks bench --help");
  });

  it("prints one JSON document for a refusal as well", async () => {
    const { code, document } = await fixture.json(["list", "--workspace", "nowhere"]);
    expect(code).toBe(5);
    expect(document).toMatchObject({ error: { code: "invalid_workspace", message: expect.any(String) } });
    expect((await fixture.json(["list", "--frob"])).document).toMatchObject({ error: { code: "usage" } });
    expect(await fixture.json(["trust"])).toMatchObject({
      code: 2,
      document: { error: { message: expect.stringContaining("--json asks nobody") } },
    });
  });

  it("does not need a home when it is told where things are", async () => {
    const nowhere = { HOME: "", BASIS_DATA_DIR: "", BASIS_CONFIG_DIR: "" };
    const refused = await fixture.run(["list"], { env: nowhere });
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining("--trust-file") });
    const told = await fixture.run(["list", "--trust-file", fixture.trustFile], { env: nowhere });
    expect(told).toMatchObject({ code: 0, stderr: "" });
  });

  it("sends no escape sequence into a pipe, and none to a terminal that asks for none", async () => {
    await fixture.ownHooks({ name: "guard", command: ["true"] });
    const { stdout } = await fixture.run(["list"], { env: { TERM: "xterm-256color" } });
    expect(stdout).toContain("untrusted");
    expect(stdout).not.toContain("\u001b");
  });
});
