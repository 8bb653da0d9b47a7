import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Ended } from "./support/basis-process.ts";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";
import { Terminal } from "./support/terminal.ts";

const SECRET = 'CANARY-7f3a "quoted"\nand a second line';

let bench: Bench;
let member: string;
let file: string;
beforeAll(async () => {
  bench = new Bench();
  const write = { name: "write", input: { path: "out.txt", content: SECRET } };
  const child = [{ text: `the child heard ${SECRET}` }];
  const model = bench.script(
    [
      { text: `I use ${SECRET}`, calls: [write, { name: "spawn", input: { input: "look" } }] },
      { text: "done" },
      { text: "again" },
    ],
    { child: { rounds: child } },
  );
  const ended = await bench.run([
    "run",
    `remember ${SECRET}`,
    "--approve",
    "always",
    "--json",
    "--model",
    model,
  ]);
  member = ended.event("run_started").data.agent;
  await bench.run(["fork", member, "--at", "1", "--as", "branch"]);
  file = bench.write(join(bench.base, "secret.txt"), `${SECRET}\n`);
});
afterAll(() => bench.remove());

const redact = (...argv: string[]): Promise<Ended> => bench.run(["sessions", "redact", member, ...argv]);
const filesWith = (text: string): readonly string[] =>
  ["sessions.db", "events.db"]
    .flatMap((name) => [name, `${name}-wal`])
    .filter((name) => {
      const path = join(bench.data, name);
      return existsSync(path) && readFileSync(path).includes(text);
    });

describe("basis sessions redact", () => {
  it("--dry-run tells what would change, shows nothing of the text and changes nothing", async () => {
    const ended = await redact("--text", file, "--dry-run");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(/^would be redacted where the text stands: messages 0, 1, /);
    expect(ended.stdout).toMatch(/would be changed in the event log: \d+ events/);
    expect(ended.stdout).toMatch(/stays: 1 message of session .*--everywhere/);
    expect(ended.stdout + ended.stderr).not.toContain("CANARY");
    expect(filesWith("CANARY")).not.toEqual([]);
  });

  it("changes nothing without a yes: without a terminal it says how (2), at one it asks (1)", async () => {
    expect(await redact("--text", file)).toMatchObject(refused(2, "--yes", "--dry-run"));
    const terminal = new Terminal(bench, ["sessions", "redact", member, "--text", file]);
    await terminal.saw("Type yes");
    terminal.type("no\r");
    expect(await terminal.ended).toBe(1);
    expect(filesWith("CANARY")).not.toEqual([]);
  });

  it("refuses an agent's program (5): it would change the record of what the agent did", async () => {
    const env = { BASIS_LINEAGE: "1" };
    const ended = await bench.run(["sessions", "redact", member, "--text", file, "--yes"], { env });
    expect(ended).toMatchObject(refused(5, "an agent's run started this command", "sessions redact"));
  });

  it("refuses arguments that say nothing or too little (2), and shows no text that was given by mistake", async () => {
    expect(await redact("--yes")).toMatchObject(refused(2, "--text FILE, --pattern FILE or --message"));
    const mistaken = await redact("--text", "sk-secret-of-mine", "--yes");
    expect(mistaken).toMatchObject(refused(2, "names no file", "--text -"));
    expect(mistaken.stderr).not.toContain("sk-secret");
    const pipe = join(bench.base, "pipe");
    execFileSync("mkfifo", [pipe]);
    expect(await redact("--text", pipe, "--yes")).toMatchObject(refused(2, "not a regular file", "--text -"));
    const replacement = ["sessions", "redact", member, "--text", "-", "--yes"];
    expect(await bench.run(replacement, { stdin: "dact" })).toMatchObject(refused(2, "part of [redacted]"));
    expect(await redact("--message", "99", "--yes")).toMatchObject(refused(2, "--message", "messages, 0 to"));
    expect(await bench.run(["sessions", "redact", "nobody", "--text", file])).toMatchObject(
      refused(5, "no session 'nobody'"),
    );
  });

  it("takes the text from standard input out of the session and its forks, and tells what stays (1)", async () => {
    const argv = ["sessions", "redact", member, "--text", "-", "--yes", "--json"];
    const ended = await bench.run(argv, { stdin: SECRET });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/^stays: 1 message of session .*\n$/);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      dry_run: false,
      not_reached: { elsewhere: [{ messages: 1, deleted: false }], events: 0, tables: {}, unpurged: [] },
    });
    const { stdout } = await bench.run(["sessions", "show", "branch", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ message: { content: "remember [redacted]" } });
    expect((await bench.run(["events", member])).stdout).not.toContain("CANARY");
  });

  it("--everywhere leaves none of it in any file, and the session goes on (0)", async () => {
    const ended = await redact("--text", file, "--everywhere", "--yes");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(filesWith("CANARY")).toEqual([]);
    const model = `scripted:${join(bench.base, "script.json")}`;
    expect((await bench.run(["run", "go on", "--session", member, "--model", model])).code).toBe(0);
    const again = await redact("--text", file, "--yes");
    expect(again).toMatchObject({ code: 0, stdout: "nothing held it\n", stderr: "" });
  });

  it("--pattern takes all that it finds, and --text also out of a session that is deleted", async () => {
    const script = JSON.stringify({
      schema: 1,
      agents: { main: { rounds: [{ text: "keys AKIA1234 and AKIA9876, name JOHN-DOE" }] } },
    });
    const model = `scripted:${bench.write(join(bench.base, "keys.json"), script)}`;
    const ended = await bench.run(["run", "hello", "--json", "--model", model]);
    const { session } = ended.event("run_started");
    const pattern = ["sessions", "redact", session, "--pattern", "-", "--yes"];
    expect(await bench.run(pattern, { stdin: "[a-z]{2}|AKIA\\d{4}" })).toMatchObject(
      refused(2, "fewer than 4 characters"),
    );
    expect(await bench.run(pattern, { stdin: "AKIA\\d{4}\n" })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        "the pattern finds 2 texts in this session; other sessions are not searched",
      ),
    });
    expect((await bench.run(["sessions", "show", session])).stdout).toContain(
      "keys [redacted] and [redacted], name JOHN-DOE",
    );
    await bench.run(["sessions", "rm", session, "--yes"]);
    const text = ["sessions", "redact", session, "--text", "-", "--yes"];
    const done = await bench.run(text, { stdin: "JOHN-DOE" });
    expect(done).toMatchObject({ code: 0, stdout: "redacted: 1 message\n" });
    expect(["AKIA", "JOHN-DOE"].flatMap(filesWith)).toEqual([]);
    const copy = await bench.run(["run", "name AKIA5555", "--json", "--model", model]);
    const twin = ["sessions", "redact", copy.event("run_started").session, "--pattern", "-", "--yes"];
    await bench.run(["run", "name AKIA5555 too", "--model", model]);
    const left = await bench.run(twin, { stdin: "AKIA\\d{4}" });
    // The pattern would find nothing in the session again.
    expect(left).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^stays: \d messages? .*: redact it too$/m),
    });
  });

  it("--message takes whole messages with what they call, by position", async () => {
    const ended = await redact("--message", "1,2", "--yes");
    expect(ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^redacted: 2 messages, \d+ events/),
    });
    const { stdout } = await bench.run(["sessions", "show", member]);
    expect(stdout).toMatch(/1 {2}assistant \[redacted\] → write\(\{\}\)/);
    expect((await redact("--message", "1", "--yes")).stdout).toBe("nothing held it\n");
  });
});
