import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadDriver } from "@mobkit/session-sqlite";
import { entry, type Ended } from "./support/basis-process.ts";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";

let bench: Bench;
let model: string;
beforeEach(() => {
  bench = new Bench();
  model = bench.script([{ text: "one" }, { text: "two" }]);
});
afterEach(() => bench.remove());

const run = (...argv: string[]): Promise<Ended> => bench.run(["run", "x y", "--model", model, ...argv]);

describe("a data directory that cannot serve refuses with 5, naming it and BASIS_DATA_DIR:", () => {
  const inDir = (dir: string): Promise<Ended> =>
    bench.run(["run", "x y", "--model", model], { env: { BASIS_DATA_DIR: dir } });

  it("one inside the workspace, by whatever way it is reached", async () => {
    const inside = join(bench.workspace, ".state");
    expect(await inDir(inside)).toMatchObject(
      refused(5, inside, "lies inside the workspace", "BASIS_DATA_DIR"),
    );
    const link = join(bench.base, "link");
    symlinkSync(bench.workspace, link);
    expect(await inDir(join(link, "state"))).toMatchObject(refused(5, "lies inside the workspace"));
  });

  it("a relative path", async () => {
    expect(await inDir("state")).toMatchObject(refused(5, "is not an absolute path", "BASIS_DATA_DIR"));
  });

  it("a file", async () => {
    expect(await inDir(bench.write(join(bench.base, "file"), ""))).toMatchObject(
      refused(5, "is not a directory", "BASIS_DATA_DIR"),
    );
  });

  it("a path through a file", async () => {
    expect(await inDir(join(bench.write(join(bench.base, "file"), ""), "state"))).toMatchObject(
      refused(5, "is not a directory"),
    );
  });

  it("a place where nothing can be written", async () => {
    expect(await inDir("/proc/basis")).toMatchObject(refused(5, "/proc/basis", "BASIS_DATA_DIR"));
  });

  // S29
  it("while one that is open to others is closed to them", async () => {
    mkdirSync(bench.data);
    chmodSync(bench.data, 0o755);
    expect((await run()).code).toBe(0);
    expect(statSync(bench.data).mode & 0o777).toBe(0o700);
    for (const file of ["sessions.db", "events.db"])
      expect(statSync(join(bench.data, file)).mode & 0o077).toBe(0);
  });
});

/** Overwrites the head of the first page, behind the file's own, that holds the text. */
function damage(name: string, text: string): void {
  const path = join(bench.data, name);
  const bytes = readFileSync(path);
  const page = Math.floor(bytes.indexOf(text, 4096) / 4096) * 4096;
  bytes.fill(0xff, page, page + 100);
  writeFileSync(path, bytes);
}

describe("a store that cannot be opened refuses with 5 and loses nothing:", () => {
  const setVersion = async (version: number): Promise<number> => {
    const db = (await loadDriver()).open(join(bench.data, "sessions.db"));
    const before = Number(Object.values(db.prepare("PRAGMA user_version").get() ?? {})[0]);
    db.exec(`PRAGMA user_version = ${version}`);
    db.close();
    return before;
  };

  it("one that a later version wrote", async () => {
    const { session } = (await run("--json")).event("run_started");
    const version = await setVersion(99);
    expect(await run("--session", session)).toMatchObject(refused(5, join(bench.data, "sessions.db"), "99"));
    expect(await bench.run(["sessions", "list"])).toMatchObject(refused(5, "99"));
    await setVersion(version);
    expect(await run("--session", session)).toMatchObject({ code: 0, stdout: "two\n" });
  });

  it("a file that is no database, which stays as it is", async () => {
    const path = bench.write(
      join(bench.data, "sessions.db"),
      "my notes, not a database\n".repeat(100),
      0o600,
    );
    expect(await run()).toMatchObject(refused(5, path));
    expect(readFileSync(path, "utf8")).toContain("my notes");
  });

  it("one that has no room to be written, saying what to look at", () => {
    const limited = "trap '' XFSZ; ulimit -f 8; exec \"$@\"";
    const argv = ["-c", limited, "sh", process.execPath, entry, "run", "go on", "--model", model];
    const { status, stderr } = spawnSync("/bin/sh", argv, {
      cwd: bench.workspace,
      env: bench.env(),
      encoding: "utf8",
    });
    expect(status).toBe(5);
    expect(stderr).toContain("see that its file system has room and its files can be written (basis doctor");
    expect(stderr).not.toContain("move the file away");
  });

  it("an events.db that is no database, which stays as it is", async () => {
    const path = bench.write(join(bench.data, "events.db"), "my notes, not a database\n".repeat(100), 0o600);
    expect(await run()).toMatchObject(refused(5, bench.data, "BASIS_DATA_DIR"));
    expect(readFileSync(path, "utf8")).toContain("my notes");
  });

  it("a page of transcripts that is damaged, told by whoever reads it, with what is safe to do", async () => {
    const { session } = (await run("--json")).event("run_started");
    damage("sessions.db", "x y");
    expect(await bench.run(["sessions", "list"])).toMatchObject({ code: 0 });
    const shown = await bench.run(["sessions", "show", session]);
    expect(shown.code).toBe(1);
    expect(shown.stderr).toContain("sessions.db is damaged");
    expect(shown.stderr).toContain("restore a backup");
  });

  it("a page of the event log that is damaged: transcripts are whole, and the way on is told", async () => {
    const { session } = (await run("--json")).event("run_started");
    damage("events.db", "run_started");
    const redacted = await bench.run(["sessions", "redact", session, "--message", "0", "--yes"]);
    expect(redacted).toMatchObject(
      refused(1, "the event log", "events.db failed", "move it away with its -wal"),
    );
    renameSync(join(bench.data, "events.db"), join(bench.data, "events.broken"));
    expect(await bench.run(["sessions", "redact", session, "--message", "0", "--yes"])).toMatchObject({
      code: 0,
      stdout: "redacted: 1 message\n",
    });
    expect(await run("--session", session)).toMatchObject({ code: 0, stdout: "two\n" });
  });

  it("a list of trust that is broken", async () => {
    bench.write(".basis/hooks.json", '{"schema":1,"hooks":[{"name":"a","command":["true"]}]}');
    const path = bench.write(join(bench.data, "trust.json"), '{"workspaces":[null]}', 0o600);
    expect(await run("--trust-workspace")).toMatchObject(refused(5, path, "delete it to start anew"));
  });
});

// D24
describe("the stage that fails first is told, with all its problems:", () => {
  const stages: readonly (readonly [name: string, told: RegExp, breakIt: () => void])[] = [
    ["data directory", /data directory/, () => void bench.write(bench.data, "")],
    ["workspace files", /AGENTS\.md/, () => void bench.write("AGENTS.md", "x".repeat(300_000))],
    [
      "trust",
      /is not trusted/,
      () => void bench.write(".basis/hooks.json", '{"schema":1,"hooks":[{"name":"a","command":["true"]}]}'),
    ],
    [
      "schema and script",
      /s\.json:1: .*\n.*script\.json:1: /,
      () => {
        bench.write("s.json", "[]");
        bench.write(model.replace("scripted:", ""), "[]");
      },
    ],
  ];

  it.each(stages.map(([name], index) => [name, index] as const))(
    "%s before what comes later",
    async (_name, index) => {
      bench.write("s.json", "{}");
      for (const [, , breakIt] of stages.slice(index)) breakIt();
      const ended = await run("--output", "s.json");
      expect(ended).toMatchObject(refused(5, stages[index]![1]));
      for (const [, told] of stages.slice(index + 1)) expect(ended.stderr).not.toMatch(told);
    },
  );

  it("arguments before all", async () => {
    for (const [, , breakIt] of stages) breakIt();
    const ended = await run("--deadline", "soon");
    expect(ended.code).toBe(2);
    expect(ended.stderr).not.toMatch(/data directory/);
  });

  it("AGENTS.md and hooks.json together, both being workspace files", async () => {
    bench.write("AGENTS.md", "x".repeat(300_000));
    bench.write(".basis/hooks.json", "[]");
    expect(await run()).toMatchObject(refused(5, /workspace\/AGENTS\.md: it has/, /hooks\.json:1: /));
  });

  it("schema before a missing key", async () => {
    bench.write("s.json", "[]");
    const ended = await bench.run(["run", "x y", "--model", "openai/gpt-5", "--output", "s.json"]);
    expect(ended).toMatchObject(refused(5, /s\.json:1: /));
    expect(ended.stderr).not.toContain("OPENAI_API_KEY");
  });
});
