import { spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { entry, type Ended } from "./support/basis-process.ts";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";

let bench: Bench;
let member: string;
let session: string;
let bundle: string;
let file: string;
beforeAll(async () => {
  bench = new Bench();
  const read = { calls: [{ name: "read", input: { path: "README.md" } }] };
  const model = bench.script([read, { text: "ok" }, { text: "later" }]);
  const started = (await bench.run(["run", "go on", "--json", "--model", model])).event("run_started");
  ({ session } = started);
  member = started.data.agent;
  await bench.run(["fork", member, "--at", "1", "--as", "branch"]);
  file = join(bench.base, "main.jsonl");
  await bench.run(["sessions", "export", member, "--to", file]);
  bundle = readFileSync(file, "utf8");
});
afterAll(() => bench.remove());

interface View {
  readonly session: string;
  readonly member: string | null;
  readonly state: string;
  readonly messages: number;
}

async function sessions(): Promise<readonly View[]> {
  return JSON.parse((await bench.run(["sessions", "list", "--json"])).stdout) as View[];
}

async function transcript(name: string): Promise<string> {
  return (await bench.run(["sessions", "show", name, "--json"])).stdout;
}

const json = (ended: Ended): Record<string, unknown> => JSON.parse(ended.stdout) as Record<string, unknown>;

describe("basis sessions export", () => {
  it("writes a bundle to standard output, or into a new file that only its owner can read", async () => {
    const printed = await bench.run(["sessions", "export", session]);
    expect(printed.code).toBe(0);
    const lines = printed.stdout.trimEnd().split("\n");
    expect(JSON.parse(lines[0]!)).toMatchObject({ type: "bundle", version: 2 });
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ type: "end", messages: 4 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(bundle.split("\n")).toHaveLength(printed.stdout.split("\n").length);
  });

  it("--json tells what was written", async () => {
    const to = join(bench.base, "told.jsonl");
    const ended = await bench.run(["sessions", "export", member, "--to", to, "--json"]);
    expect(json(ended)).toEqual({ session, file: to, messages: 4, bytes: statSync(to).size });
  });

  it("overwrites no file, and leaves none behind where it cannot write (2)", async () => {
    const taken = await bench.run(["sessions", "export", member, "--to", file]);
    expect(taken).toEqual(expect.objectContaining(refused(2, "there is a file", file)));
    expect(readFileSync(file, "utf8")).toBe(bundle);
    const nowhere = join(bench.base, "missing", "x.jsonl");
    expect(await bench.run(["sessions", "export", member, "--to", nowhere])).toMatchObject(
      refused(2, "cannot be written: its directory does not exist"),
    );
  });

  it("refuses an unknown session (5) and --json without a file (2)", async () => {
    expect(await bench.run(["sessions", "export", "nobody"])).toMatchObject(
      refused(5, "no session 'nobody'"),
    );
    expect(await bench.run(["sessions", "export", member, "--json"])).toMatchObject(refused(2, "--to"));
  });
});

describe("basis sessions import", () => {
  it("makes a session of its own with the same messages, which goes on", async () => {
    const ended = await bench.run(["sessions", "import", file, "--as", "copy", "--json"]);
    expect(ended.code).toBe(0);
    const told = json(ended);
    expect(told).toMatchObject({
      member: "copy",
      messages: 4,
      redacted: 0,
      open_calls: 0,
      origin: { session, member },
    });
    expect(told["session"]).not.toBe(session);
    expect(await transcript("copy")).toBe(await transcript(member));
    const model = bench.script([{ text: "a" }, { text: "b" }, { text: "went on" }]);
    const next = await bench.run(["run", "and?", "--session", "copy", "--model", model]);
    expect(next).toMatchObject({ code: 0, stdout: "went on\n" });
    expect((await bench.run(["events", "copy"])).events().map(({ seq }) => seq)[0]).toBe(1);
  });

  it("carries what a fork inherited", async () => {
    const { stdout } = await bench.run(["sessions", "export", "branch"]);
    const ended = await bench.run(["sessions", "import", "-", "--as", "branch-copy"], { stdin: stdout });
    expect(ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^branch-copy: 1 message, session /),
    });
    expect(await transcript("branch-copy")).toBe(await transcript("branch"));
  });

  it("takes the bundle's own name when that is free, in another store", async () => {
    const other = join(bench.base, "other-data");
    const ended = await bench.run(["sessions", "import", file], { env: { BASIS_DATA_DIR: other } });
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining(`${member}: 4 messages`) });
  });

  it("--dry-run verifies, tells what it holds and writes nothing", async () => {
    const before = await sessions();
    const ended = await bench.run(["sessions", "import", file, "--dry-run"]);
    expect(ended.stdout).toMatch(/^the bundle is whole: 4 messages\n[^]*nothing was written\n$/);
    expect(json(await bench.run(["sessions", "import", file, "--dry-run", "--json"]))).toMatchObject({
      dry_run: true,
      messages: 4,
    });
    expect(await sessions()).toEqual(before);
  });

  it("refuses a taken name with a hint (1)", async () => {
    const ended = await bench.run(["sessions", "import", file]);
    expect(ended).toMatchObject(refused(1, member, "--as NAME; nothing was imported"));
  });

  const line = (number: number): string => bundle.split("\n")[number - 1]!;
  it.each<[string, string, () => string]>([
    ["cut off", "the end is missing", () => bundle.split("\n").slice(0, -2).join("\n")],
    ["empty", "line 1", () => ""],
    ["no JSON in the second line", "line 2", () => bundle.replace(line(2), "{nope")],
    ["a changed message", "digest", () => bundle.replace("go on", "go in")],
    ["a line twice", "line", () => bundle.replace(line(2), `${line(2)}\n${line(2)}`)],
    ["something behind the end", "line", () => `${bundle}${line(1)}\n`],
    ["no text", "line 1", () => "\u0000\u0001"],
    ["a later version", "version 9", () => bundle.replace(/"version":\d+/, '"version":9')],
  ])("refuses %s whole, and says where (1)", async (name, where, text) => {
    const before = await sessions();
    const bad = bench.write(join(bench.base, `${name.replaceAll(" ", "-")}.jsonl`), text());
    const ended = await bench.run(["sessions", "import", bad, "--as", "bad", "--json"]);
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(where) });
    expect(ended.stderr).toContain(`nothing was imported from ${bad}`);
    expect(json(ended)).toMatchObject({ code: expect.stringMatching(/bundle/) });
    expect(await sessions()).toEqual(before);
  });

  it("refuses the same from a pipe (1)", async () => {
    const before = await sessions();
    const stdin = bundle.replace("go on", "go in");
    const piped = await bench.run(["sessions", "import", "-", "--as", "bad"], { stdin });
    expect(piped).toMatchObject(refused(1, "digest", "nothing was imported from standard input"));
    expect(await sessions()).toEqual(before);
  });

  it.each<[string, readonly string[], string]>([
    ["no FILE", [], "FILE is missing"],
    ["a missing file", ["missing.jsonl"], "there is no file"],
    ["a directory", ["."], "is not a file"],
    ["a pipe without a name", ["-"], "--as NAME"],
    ["a name with an escape", ["README.md", "--as", "a\u001b[2J"], "a name that can be seen"],
  ])("refuses %s (2)", async (_name, argv, why) => {
    expect(await bench.run(["sessions", "import", ...argv])).toMatchObject(refused(2, why));
  });

  it("killed in the middle leaves nothing that has a name, and the same import works afterwards", async () => {
    const before = (await sessions()).filter(({ state }) => state !== "pending");
    const child = spawn(process.execPath, [entry, "sessions", "import", "-", "--as", "killed"], {
      cwd: bench.workspace,
      env: bench.env(),
      stdio: ["pipe", "ignore", "ignore"],
    });
    const ended = new Promise((resolve) => child.once("close", (_code, signal) => resolve(signal)));
    child.stdin.on("error", () => undefined);
    child.stdin.write(bundle.split("\n").slice(0, -2).join("\n"));
    await untilPending(bench);
    child.kill("SIGKILL");
    expect(await ended).toBe("SIGKILL");
    expect((await sessions()).filter(({ state }) => state !== "pending")).toEqual(before);
    const again = await bench.run(["sessions", "import", "-", "--as", "killed"], { stdin: bundle });
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("killed: 4 messages") });
  });

  it("of two processes that want one name, one gets it", async () => {
    const both = await Promise.all(
      [1, 2].map(() => bench.run(["sessions", "import", file, "--as", "raced"])),
    );
    expect(both.map(({ code }) => code)).toEqual(expect.arrayContaining([0, 1]));
    expect((await sessions()).filter(({ member: name }) => name === "raced")).toHaveLength(1);
  });

  it("tells a call without a result as interrupted, its outcome unknown, and does not run it", async () => {
    const parking = new Bench();
    const call = { calls: [{ name: "write", input: { path: "x.txt", content: "x" } }] };
    const model = parking.script([call, { text: "after" }]);
    const run = await parking.run(["run", "write", "--approve", "park", "--json", "--model", model]);
    expect(run.code).toBe(4);
    const { stdout } = await parking.run(["sessions", "export", run.event("run_started").session]);
    const imported = await parking.run(["sessions", "import", "-", "--as", "taken"], { stdin: stdout });
    expect(imported.stderr).toContain("1 call had no result");
    const next = await parking.run(["run", "go on", "--session", "taken", "--model", model]);
    expect(next).toMatchObject({ code: 0, stdout: "after\n" });
    const rows = (await parking.run(["sessions", "show", "taken", "--json"])).stdout;
    expect(rows).toContain("interrupted: outcome unknown");
    expect(readdirSync(parking.workspace)).not.toContain("x.txt");
    parking.remove();
  });
});

/** Waits until an import has begun to stage. */
async function untilPending(place: Bench): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    const { stdout } = await place.run(["sessions", "list", "--json"]);
    if (
      (JSON.parse(stdout) as View[]).some(({ state, member: name }) => state === "pending" && name === null)
    )
      return;
  }
  throw new Error("the import did not begin");
}

// S38
describe("basis sessions export --html", () => {
  it("writes one page that shows the transcript and loads nothing", async () => {
    const to = join(bench.base, "page.html");
    expect(await bench.run(["sessions", "export", member, "--html", "--to", to])).toMatchObject({ code: 0 });
    const page = readFileSync(to, "utf8");
    expect(statSync(to).mode & 0o777).toBe(0o600);
    expect(page).toMatch(/^<!doctype html>[^]*default-src &#39;none&#39;[^]*<\/html>\n$/);
    expect(page).toContain("go on");
    expect(page).toContain("read {&quot;path&quot;:&quot;README.md&quot;}");
    expect(page).toContain("run_finished");
    expect(page).not.toMatch(/<script|src=|href=/);
    const branch = await bench.run(["sessions", "export", "branch", "--html"]);
    expect(branch.stdout).toContain('class="user inherited"');
  });
});
