import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
});
afterAll(() => bench.remove());

describe("basis --help and --version", () => {
  it.each([
    ["the overview", ["--help"], [/basis "PROMPT"/, /basis demo/, /Exit codes: 0 ok.*130 interrupted/s]],
    ["run", ["run", "--help"], [/basis run \[PROMPT\] \[OPTIONS\]/, /--output SCHEMA\.json/, /Examples/]],
    ["fork", ["fork", "-h"], [/basis fork \[SESSION\]/, /--at N\|MESSAGE/, /--recover ID/]],
    ["sessions", ["sessions", "--help"], [/sessions list/, /sessions show SESSION/, /sessions tree/]],
    ["sessions show", ["sessions", "show", "--help"], [/basis sessions show SESSION/, /--json/]],
    ["events", ["events", "--help"], [/basis events SESSION/, /--after N/]],
    ["inspect", ["inspect", "--help"], [/Nothing is started/, /--json/]],
    ["init", ["init", "--help"], [/\.basis\/hooks\.json/, /--trust-workspace/]],
    ["demo", ["demo", "--help"], [/temporary copy/, /--json/]],
  ])("shows %s on standard output, without colours, in at most 100 columns", async (_name, argv, texts) => {
    const ended = await bench.run(argv);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    for (const text of texts) expect(ended.stdout).toMatch(text);
    expect(ended.stdout).not.toContain("\u001B");
    expect(Math.max(...ended.stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it("prints the package's version", async () => {
    const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    expect(await bench.run(["--version"])).toMatchObject({ code: 0, stdout: `${manifest.version}\n` });
  });
});

describe("arguments that make no sense are refused with 2:", () => {
  it.each([
    [
      "an unknown option",
      ["run", "x y", "--modle", "a/b"],
      "unknown option '--modle'; did you mean --model?",
    ],
    ["a mistyped command", ["sesions"], "there is no command 'sesions'; did you mean 'basis sessions'?"],
    ["a word like a command", ["publish"], 'a prompt of one word is given as: basis run "publish"'],
    ["a command without its verb", ["sessions"], "basis sessions list"],
    ["an unknown verb", ["sessions", "lst"], "did you mean 'list'?"],
    ["an extra word", ["run", "what", "now"], "unexpected argument 'now'; quote a text of several words"],
    ["a word for a command without one", ["inspect", "here"], "unexpected argument 'here'"],
    ["a missing word", ["events"], "SESSION is missing"],
    [
      "an option without its value",
      ["run", "x y", "--model"],
      "--model needs a value: --model PROVIDER/MODEL",
    ],
    ["an option in a value's place", ["run", "x y", "--session", "--json"], "--session needs a value"],
    ["a value for a flag", ["run", "x y", "--json=yes"], "--json takes no value"],
    [
      "a word that is no choice",
      ["run", "x y", "--approve", "maybe"],
      "--approve takes ask, never, always, park",
    ],
    [
      "a duration without a unit",
      ["run", "x y", "--deadline", "10"],
      "--deadline takes a duration such as 90s",
    ],
    [
      "a budget that is no number",
      ["run", "x y", "--token-budget", "much"],
      "--token-budget takes a whole number",
    ],
    ["a model without a provider", ["run", "x y", "--model", "gpt-5"], "--model takes PROVIDER/MODEL"],
    ["an empty prompt", ["run", "  "], "the prompt is empty"],
    ["an empty pipe", ["run"], "standard input held no prompt"],
    [
      "--trust-unpinned alone",
      ["run", "x y", "--trust-unpinned"],
      "--trust-unpinned goes with --trust-workspace",
    ],
    ["--with-tools alone", ["run", "x y", "--with-tools"], "--with-tools goes with --output"],
    [
      "a session of an ephemeral run",
      ["run", "x y", "--ephemeral", "--session", "s"],
      "--ephemeral keeps nothing",
    ],
  ])("%s", async (_name, argv, text) => {
    const ended = await bench.run(argv);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(text);
  });

  it("every problem is told at once, and where the options are explained", async () => {
    const ended = await bench.run(["run", "a", "b", "--approve", "maybe", "--deadline", "soon", "--nope"]);
    expect(ended.code).toBe(2);
    expect(ended.stderr.trimEnd().split("\n")).toEqual([
      "basis: --approve takes ask, never, always, park, not 'maybe'",
      expect.stringContaining("--deadline takes a duration"),
      "basis: unknown option '--nope'",
      expect.stringContaining("unexpected argument 'b'"),
      "basis: see: basis run --help",
    ]);
  });

  it("a prompt that is not UTF-8", async () => {
    const ended = await bench.run(["run"], { stdin: Buffer.from([0x68, 0xff, 0xfe]) });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("not UTF-8");
  });

  it("nothing waits in a session that is finished", async () => {
    const model = bench.script([{ text: "ok" }]);
    const { session } = (await bench.run(["run", "x y", "--json", "--model", model])).event("run_started");
    const ended = await bench.run(["run", "--session", session, "--model", model]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("nothing waits in session");
  });
});
