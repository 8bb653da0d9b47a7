import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BasisEvent } from "../../src/events/event-schema.ts";
import { Bench } from "../cli/support/bench.ts";

const repository = fileURLToPath(new URL("../../../..", import.meta.url));

/** What the issue asks of the event log. */
const promised = [
  "child_previewed",
  "child_finished",
  "hook_decided deny",
  "hook_decided modify",
  "hook_decided replace",
  "hook_failed",
  "output_rejected",
  "output_accepted",
  "fork_committed",
  "fork_provisioned",
  "fork_failed",
  "fork_recovered",
];

let bench: Bench;
let temporary: string;
beforeEach(() => {
  bench = new Bench();
  temporary = join(bench.base, "temporary");
  mkdirSync(temporary);
  bench.write("package.json", "{}\n");
  bench.write("packages/hooks/src/advance.ts", "export const participants = 1;\n");
});
afterEach(() => bench.remove());

const env = (): Record<string, string> => ({ TMPDIR: temporary });

/** Every file below a directory with a digest of what it holds. */
function contentOf(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => `${path} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`)
    .toSorted();
}

const named = ({ type, data }: BasisEvent): string =>
  "decision" in data ? `${type} ${data.decision}` : type;

describe("basis demo", () => {
  it("tells its story in chapters on this repository's files, and no tool of it fails", async () => {
    const ended = await bench.run(["demo"], { cwd: repository, env: env() });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    for (const told of [
      /^1 {2}It works .*hooks$/m,
      /denied +run rm -rf packages/,
      /changed +search/,
      /\(asked for: path \.\)/,
      /replaced +the result of read/,
      /crashed +hook 'crashing-guard'/,
      /^2 {2}It delegates/m,
      /model +anthropic\/claude-haiku-4-5\n +roster +list, read, search\n +system +replaced/,
      /approved +spawn \(local_state\) .*, bound to sha256:\w{12}…/,
      /^3 {2}It answers/m,
      /rejected +the answer\n +\/summary/,
      /accepted +the answer, at attempt 2/,
      /^4 {2}Its session is forked/m,
      /refused +split: .*legal counts nearby are 1 and 4/,
      /recovered late/,
      /✓ \d+ events; everything that was promised happened\.\n$/,
    ])
      expect(ended.stdout).toMatch(told);
    expect(ended.stdout).not.toMatch(/^ *failed/m);
    expect(Math.max(...ended.stdout.split("\n").map((line) => line.length))).toBeLessThan(240);
  });

  it("gives the event log with --json: every event valid, everything promised in it", async () => {
    const ended = await bench.run(["demo", "--json"], { env: env() });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.events().map(named)).toEqual(expect.arrayContaining(promised));
    for (const session of new Set(ended.events().map((event) => event.session))) {
      const numbers = ended.events().flatMap((event) => (event.session === session ? (event.seq ?? []) : []));
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    }
  });

  it("changes nothing in the folder or the user's directories and leaves nothing behind", async () => {
    const before = contentOf(bench.base);
    const { code } = await bench.run(["demo", "--json"], { env: env() });
    expect(code).toBe(0);
    expect(contentOf(bench.base)).toEqual(before);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("works in a folder that is no git repository", async () => {
    rmSync(join(bench.workspace, ".git"), { recursive: true });
    bench.write("node_modules/dependency/index.js", "left out\n");
    const ended = await bench.run(["demo"], { env: env() });
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain("3 files of");
  });

  it("refuses a folder that is too big with 5, before anything is copied", async () => {
    truncateSync(bench.write("big.bin", ""), 300 * 1024 * 1024);
    const ended = await bench.run(["demo"], { env: env() });
    expect(ended).toMatchObject({ code: 5, stdout: "" });
    expect(ended.stderr).toContain("is too big to copy");
    expect(readdirSync(temporary)).toEqual([]);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("ends on %s with 130 and leaves nothing behind", async (signal) => {
    const running = bench.start(["demo", "--json"], { env: env() });
    await running.saw('"tool_started"');
    running.kill(signal);
    expect(await running.ended).toMatchObject({ code: 130 });
    expect(readdirSync(temporary)).toEqual([]);
  });
});
