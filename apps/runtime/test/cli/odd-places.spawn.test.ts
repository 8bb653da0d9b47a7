import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";

let bench: Bench;
beforeEach(() => void (bench = new Bench()));
afterEach(() => bench.remove());

const shell = (script: string): readonly string[] => ["/bin/sh", "-c", `${script}; exec "$@"`, "sh"];

describe("in a directory that is gone", () => {
  const gone = (argv: readonly string[]) => {
    const cwd = join(bench.base, "gone");
    mkdirSync(cwd);
    return bench.run(argv, { cwd, through: shell("rmdir ../gone") });
  };

  it("a run is refused with what to do", async () => {
    expect(await gone(["run", "hello"])).toMatchObject(
      refused(5, "the current directory is gone", "change to another one (cd)"),
    );
  });

  it("help is printed all the same", async () => {
    expect(await gone(["run", "--help"])).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("basis init", () => {
  it("names the file that it cannot write, and why", async () => {
    bench.write(".basis", "a file\n");
    const ended = await bench.run(["init"]);
    expect(ended).toMatchObject(
      refused(1, ".basis/hooks.json cannot be written: something else has its place"),
    );
  });

  it("leaves no file of which only a part could be written", async () => {
    const ended = await bench.run(["init"], { through: shell("trap '' XFSZ; ulimit -f 0") });
    expect(ended).toMatchObject(refused(1, ".basis/hooks.json cannot be written: "));
    expect((await bench.run(["init"])).stdout).toContain("wrote .basis/hooks.json");
    expect(JSON.parse(readFileSync(join(bench.workspace, ".basis/hooks.json"), "utf8"))).toHaveProperty(
      "hooks",
    );
  });

  it("leaves a link that leads nowhere alone", async () => {
    symlinkSync("nowhere", join(bench.workspace, "AGENTS.md"));
    const ended = await bench.run(["init"]);
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining("left alone: AGENTS.md") });
  });
});

it("basis demo without a temporary directory says which variable to set", async () => {
  const ended = await bench.run(["demo"], { env: { TMPDIR: join(bench.base, "nothing") } });
  expect(ended).toMatchObject(refused(5, "/nothing: its directory does not exist", "set TMPDIR"));
});

it("what cannot be written is told in words", async () => {
  const { stdout } = await bench.run(["run", "hello", "--model", bench.script([{ text: "hi" }]), "--json"]);
  const { session = "" } = JSON.parse(stdout.split("\n")[0]!) as { session?: string };
  const to = join(bench.base, "nothing/session.jsonl");
  expect(await bench.run(["sessions", "export", session, "--to", to])).toMatchObject(
    refused(2, `${to} cannot be written: its directory does not exist`),
  );
});

it("help COMMAND is COMMAND --help", async () => {
  const [asked, known] = [
    ["help", "sessions", "export"],
    ["sessions", "export", "--help"],
  ] as const;
  expect((await bench.run(asked)).stdout).toBe((await bench.run(known)).stdout);
});
