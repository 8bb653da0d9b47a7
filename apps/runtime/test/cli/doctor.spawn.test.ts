import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { loadDriver, openSqliteStore } from "@mobkit/session-sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Finding } from "../../src/doctor/finding.ts";
import { SilentServer } from "../crash/support/silent-server.ts";
import type { Ended } from "./support/basis-process.ts";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";
import { daysAgo, writeSession } from "./support/store-of-old.ts";

interface Report {
  readonly ok: boolean;
  readonly level: string;
  readonly findings: readonly Finding[];
}

let bench: Bench;
beforeEach(() => void (bench = new Bench()));
afterEach(() => bench.remove());

async function doctor(
  argv: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<{ ended: Ended; report: Report; find: (section: string, name: string) => Finding | undefined }> {
  const ended = await bench.run(["doctor", "--json", ...argv], { env });
  const report = JSON.parse(ended.stdout) as Report;
  const find = (section: string, name: string): Finding | undefined =>
    report.findings.find((finding) => finding.section === section && finding.name === name);
  return { ended, report, find };
}

const store = (): string => join(bench.data, "sessions.db");
const hello = async (): Promise<Ended> =>
  bench.run(["run", "hello", "--model", bench.script([{ text: "hi" }])]);

describe("basis doctor", () => {
  it("on a fresh machine finds no problem, makes nothing, and says what is missing", async () => {
    const ended = await bench.run(["doctor"]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(/^✓ machine +node +Node \d/);
    expect(ended.stdout).toMatch(/✓ machine +installation +all \d\d packages are there/);
    expect(ended.stdout).toMatch(/! models +model .*\n {4}→ set ANTHROPIC_API_KEY/);
    expect(existsSync(bench.data)).toBe(false);
  });

  it("tells what the store holds, and leaves its file as it is", async () => {
    await hello();
    const before = readFileSync(store());
    const { ended, report, find } = await doctor(["--deep"]);
    expect(ended.code).toBe(0);
    expect(report).toMatchObject({ ok: true });
    expect(find("store", "contents")?.facts).toMatchObject({
      sessions: { ready: 1 },
      messages: 2,
      redactions: 0,
    });
    expect(find("store", "file")).toMatchObject({ level: "ok", facts: { damage: "ok", mode: "0600" } });
    expect(find("store", "schema")?.facts).toMatchObject({
      version: 4,
      supported: 4,
      shape: "ai-sdk/model-message@1",
    });
    expect(find("store", "file system")?.level).not.toBe("problem");
    expect(find("store", "processes")?.facts).toEqual({ open: [] });
    expect(find("data", "events.db")).toMatchObject({ level: "ok" });
    expect(readFileSync(store()).equals(before)).toBe(true);
  });

  it("names the processes that have the store open, one that was killed too", async () => {
    const server = await SilentServer.open();
    const env = { BASIS_BASE_URL: server.url };
    const running = bench.start(["run", "wait", "--model", "openai-compatible/any"], { env });
    await server.asked();
    const during = (await doctor()).find("store", "processes");
    expect(during).toMatchObject({
      level: "ok",
      facts: { open: [{ pid: running.pid, alive: true, here: true }] },
    });
    running.kill("SIGKILL");
    await running.ended;
    server.close();
    const after = (await doctor()).find("store", "processes");
    expect(after).toMatchObject({ level: "ok", text: expect.stringContaining("gone") });
  });

  it("warns of a fork that was not seated, with the way to seat it", async () => {
    await daysAgo(bench, 1, async (state) => {
      const sessionId = await writeSession(state, "trunk", { messages: 2 });
      await state.store.forks.commit({
        source: { member: "trunk", sessionId },
        child: { member: "branch", role: "main", labels: {} },
        requestDigest: "d",
        request: {},
        claim: { owner: "dead", ttlMs: 1000 },
      });
    });
    expect((await doctor()).find("store", "forks")).toMatchObject({
      level: "warning",
      fix: expect.stringContaining("--recover"),
    });
    await hello();
    expect((await doctor()).find("store", "forks")).toBeUndefined();
  });

  it("shows no key, wherever it stands", async () => {
    const key = "sk-canary-0123456789";
    const env = { ANTHROPIC_API_KEY: key, BASIS_MODEL: `nobody/${key}` };
    const { ended, find } = await doctor([], env);
    expect(find("models", "keys")).toMatchObject({ facts: { set: ["ANTHROPIC_API_KEY"] } });
    expect(ended.stdout + ended.stderr).not.toContain(key);
    const words = await bench.run(["doctor"], { env });
    expect(words.stdout + words.stderr).not.toContain(key);
    expect(words.stdout).toContain("ANTHROPIC_API_KEY set");
  });

  it("takes a model whose key is there for one that a run can have, and another for a problem", async () => {
    expect((await doctor([], { OPENAI_API_KEY: "k-0123456789" })).find("models", "model")).toMatchObject({
      level: "ok",
    });
    const { ended, find } = await doctor([], { BASIS_MODEL: "openai/gpt-5" });
    expect(ended.code).toBe(1);
    expect(find("models", "model")).toMatchObject({
      level: "problem",
      text: expect.stringContaining("OPENAI_API_KEY"),
    });
  });

  it("tells hooks that nobody trusts, and those that are broken, as problems", async () => {
    const hooks = { schema: 1, hooks: [{ name: "guard", command: ["node", "guard.mjs"], tools: ["read"] }] };
    bench.write("guard.mjs", "");
    bench.write(".basis/hooks.json", JSON.stringify(hooks));
    const untrusted = await doctor();
    expect(untrusted.ended.code).toBe(1);
    expect(untrusted.find("workspace", "trust")).toMatchObject({
      level: "problem",
      text: expect.stringContaining("hook 'guard'"),
      fix: expect.stringContaining("basis trust"),
    });
    await bench.run(["trust", "--yes"]);
    const trusted = await doctor();
    expect(trusted.find("workspace", "trust")).toMatchObject({ level: "ok", text: "all 1 trusted" });
    expect(trusted.ended.code).toBe(0);
    bench.write(".basis/hooks.json", "{ nope");
    const broken = await doctor();
    expect(broken.find("workspace", "validity")).toMatchObject({
      level: "problem",
      text: expect.stringContaining("hooks.json"),
    });
  });

  it.each<[string, () => Promise<void> | void, string]>([
    ["a file that is no store", () => writeFileSync(store(), "no database ".repeat(600)), "damaged"],
    ["a store that is cut off", () => truncateSync(store(), statSync(store()).size - 8192), ""],
    ["a store of a later release", () => sql("PRAGMA user_version = 99"), "newer release"],
    [
      "a mark of another machine",
      () => sql("INSERT INTO store_opener VALUES ('x', 'elsewhere', 'boot', 7, 3)"),
      "elsewhere",
    ],
  ])("tells %s as a problem (1), and what to do", async (_name, harm, text) => {
    await hello();
    await harm();
    const { ended, report } = await doctor(["--deep"]);
    expect(ended.code).toBe(1);
    const problems = report.findings.filter(({ level }) => level === "problem");
    expect(problems.map((finding) => finding.section)).toContain("store");
    expect(problems[0]).toMatchObject({ text: expect.stringContaining(text), fix: expect.any(String) });
  });

  it("tells of a process of an earlier release that has an older store open, as a run that it refuses does", async () => {
    await hello();
    const held = await openSqliteStore(store());
    try {
      await sql("PRAGMA user_version = 3");
      const { ended, find } = await doctor();
      expect(ended.code).toBe(1);
      const fix = expect.stringContaining(`end process ${process.pid}`);
      expect(find("store", "schema")).toMatchObject({ level: "problem", fix });
      const refusal = await bench.run(["sessions", "list"]);
      expect(refusal.code).toBe(5);
      expect(refusal.stderr).toContain(`is open in process ${process.pid} of an earlier release`);
      expect(refusal.stderr).toContain("end that process first");
      expect(refusal.stderr).not.toContain("move the file away");
    } finally {
      await sql("PRAGMA user_version = 4");
      await held.close();
    }
    expect(await bench.run(["sessions", "list"])).toMatchObject({ code: 0 });
  });

  async function sql(statement: string): Promise<void> {
    const connection = (await loadDriver()).open(store());
    connection.exec(statement);
    connection.close();
  }

  it("judges the data directory as a run would", async () => {
    mkdirSync(bench.data, { mode: 0o700 });
    chmodSync(bench.data, 0o755);
    expect((await doctor()).find("data", "directory")).toMatchObject({ level: "warning" });
    const inside = join(bench.workspace, "state");
    bench.write(join(bench.base, "a-file"), "");
    const made: boolean[] = [];
    for (const BASIS_DATA_DIR of [
      inside,
      "relative",
      join(bench.workspace, "README.md"),
      join(bench.base, "a-file", "x"),
    ]) {
      const { ended, find } = await doctor([], { BASIS_DATA_DIR });
      expect(find("data", "directory")).toMatchObject({
        level: "problem",
        fix: expect.any(String),
      });
      expect(ended.code).toBe(1);
      made.push(BASIS_DATA_DIR === inside && existsSync(inside));
      expect((await bench.run(["sessions", "list"], { env: { BASIS_DATA_DIR } })).code).toBe(5);
    }
    expect(made).not.toContain(true);
  });

  it("refuses what makes no sense (2)", async () => {
    expect(await bench.run(["doctor", "now"])).toMatchObject(refused(2, "unexpected argument"));
    expect(await bench.run(["doctor", "--dep"])).toMatchObject(refused(2, "--deep"));
  });
});
