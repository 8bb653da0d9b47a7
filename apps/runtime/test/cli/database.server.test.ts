import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeGrantToken } from "../../src/approvals/grant-token.ts";
import { pidsIn, until, untilGone } from "../crash/support/processes.ts";
import { databaseOf } from "../harness/database-state.ts";
import type { Ended, Running } from "./support/basis-process.ts";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";

const PASSWORD = "pass-CANARY-91ff";

let bench: Bench;
let store: string;
beforeEach(() => {
  bench = new Bench();
  const { url, schema } = databaseOf(bench.base);
  const address = new URL(url);
  address.password = PASSWORD; // the test server trusts everybody; nobody may be shown it
  address.searchParams.set("schema", schema);
  store = address.href;
});
afterEach(() => bench.remove());

function dataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

/** A machine: its own data directory, the same folder, the same database. */
function machine(name: string) {
  const data = join(bench.base, name);
  const env = { BASIS_STORE: store, BASIS_DATA_DIR: data };
  const shown: Ended[] = [];
  return {
    data,
    start: (...argv: string[]): Running => bench.start(argv, { env }),
    async run(...argv: string[]): Promise<Ended> {
      const ended = await bench.run(argv, { env });
      expect(`${ended.stdout}${ended.stderr}`).not.toContain("CANARY");
      shown.push(ended);
      return ended;
    },
  };
}

describe("two machines with one database", () => {
  it("share sessions, questions, rules, forks and events; what one allows, the other runs once", async () => {
    const [here, there] = [machine("here"), machine("there")];
    const write = { calls: [{ name: "write", input: { path: "new.txt", content: "new\n" } }] };
    const model = bench.script([write, { text: "that was it" }]);
    const parked = await here.run("run", "go on", "--approve", "park", "--json", "--model", model);
    expect(parked.code).toBe(4);
    const { session } = parked.event("run_started");
    const { approval_id: approval } = parked.events().at(-1)!.data as { approval_id: string };
    expect(existsSync(join(here.data, "sessions.db"))).toBe(false);
    expect((await there.run("approvals", "list")).stdout).toContain(approval);
    expect((await there.run("wait", session)).code).toBe(4);
    const token = bench.write(join(bench.base, "token"), `${makeGrantToken(there.data)}\n`, 0o600);
    const allowed = await there.run(
      "approvals",
      "allow",
      approval,
      "--remember",
      "session",
      "--token-file",
      token,
    );
    expect(allowed).toMatchObject({ code: 0 });
    expect((await here.run("rules", "list")).stdout).toContain("write");
    const next = await here.run("run", "--session", session, "--json", "--model", model);
    expect(next.code).toBe(0);
    expect(existsSync(join(bench.workspace, "new.txt"))).toBe(true);
    const again = await there.run("approvals", "allow", approval, "--token-file", token);
    expect(again).toMatchObject(refused(1, approval, "was used: its call has run"));
    const log = (await there.run("events", session)).events();
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1));
    expect(log.filter(({ type }) => type === "run_finished")).toHaveLength(2);
    expect((await there.run("fork", session, "--as", "branch")).code).toBe(0);
    const tree = (await here.run("sessions", "tree", session)).stdout;
    expect(tree).toContain("branch");
    expect((await here.run("sessions", "show", "branch")).stdout).toContain("that was it");
    expect((await here.run("inspect")).stdout).toContain("schema");
    expect((await here.run("doctor", "--json")).stdout).toContain("PostgreSQL");
    expect((await there.run("sessions", "rm", "branch", "--yes")).code).toBe(0);
    expect((await here.run("sessions", "show", "branch")).code).not.toBe(0);
    expect(await here.run("sessions", "backup", join(bench.base, "x.db"))).toMatchObject(
      refused(2, "pg_dump"),
    );
  });

  it("hear of each other's runs: one is followed, waited for and cancelled from the other", async () => {
    const [here, there] = [machine("here"), machine("there")];
    const pids = join(bench.base, "pids");
    const argv = ["sh", "-c", `echo $$ >> ${pids}; sleep 300`];
    const model = bench.script([{ calls: [{ name: "run", input: { argv } }] }, { text: "after" }]);
    const running = here.start(
      "run",
      "go on",
      "--allow-run",
      "--approve",
      "always",
      "--json",
      "--model",
      model,
    );
    await until("the program is running", () => pidsIn(pids).length > 0);
    const listed = await there.run("sessions", "list", "--json");
    const [{ session, state }] = JSON.parse(listed.stdout) as [{ session: string; state: string }];
    expect(state).toBe("running");
    const follower = there.start("events", session, "--follow", "--until-finished");
    const waiter = there.start("wait", session);
    await follower.saw("tool_started");
    await waiter.saw("waiting for run");
    const cancelled = await there.run("cancel", session);
    expect(cancelled).toMatchObject({ code: 0 });
    expect(cancelled.stderr).toContain("its turn was rolled back");
    expect((await running.ended).code).toBe(130);
    await untilGone(pidsIn(pids));
    expect((await waiter.ended).code).toBe(130);
    const followed = await follower.ended;
    expect(followed.code).toBe(0);
    expect(followed.events().at(-1)!.type).toBe("run_finished");
  });
});

describe("basis store migrate", () => {
  it("takes everything from files into a database, after which runs go on there, and back", async () => {
    const files = join(bench.base, "files");
    const model = bench.script([{ text: "one" }, { text: "two" }]);
    const inFiles = { BASIS_DATA_DIR: files };
    const first = await bench.run(["run", "go", "--json", "--model", model], { env: inFiles });
    const { session } = first.event("run_started");
    const { run } = machine("here");
    expect(await run("store", "migrate", files, "--to", store)).toMatchObject(refused(2, "env:VARIABLE"));
    expect(await run("store", "migrate", files)).toMatchObject(refused(2, "--to"));
    const nothing = await run("store", "migrate", join(bench.base, "nothing"), "--to", "env:BASIS_STORE");
    expect(nothing).toMatchObject(refused(5, "holds no sessions.db"));
    const moved = await run("store", "migrate", files, "--to", "env:BASIS_STORE", "--json");
    expect(moved).toMatchObject({ code: 0 });
    expect(JSON.parse(moved.stdout)).toMatchObject({ sessions: 1, messages: 2, approvals: 0 });
    const next = await run("run", "more", "--session", session, "--json", "--model", model);
    expect(next.events().filter(({ type }) => type === "assistant_message")).toHaveLength(1);
    expect((await run("sessions", "show", session)).stdout).toContain("two");
    const again = await run("store", "migrate", files, "--to", "env:BASIS_STORE");
    expect(again).toMatchObject(refused(5, "is not empty", "nothing was changed"));
    const back = join(bench.base, "back");
    expect((await run("store", "migrate", "env:BASIS_STORE", "--to", back)).code).toBe(0);
    const there = { BASIS_DATA_DIR: back };
    expect((await bench.run(["sessions", "show", session], { env: there })).stdout).toContain("two");
    const seqs = (await bench.run(["events", session], { env: there })).events().map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_, at) => at + 1));
  });
});

describe("the driver", () => {
  it("is loaded with BASIS_STORE alone; where it is missing, it is named", async () => {
    const main = fileURLToPath(new URL("../../dist/main.js", import.meta.url));
    const hook = `export const resolve = (name, context, next) => {
      if (/^(pg|@mobkit\\/session-postgres)$/.test(name)) throw new Error(name + " is not here");
      return next(name, context);
    };`;
    const register = `import { register } from "node:module"; register(${JSON.stringify(dataUrl(hook))});`;
    const list = (env: Record<string, string>) =>
      spawnSync(process.execPath, ["--import", dataUrl(register), main, "sessions", "list"], {
        cwd: bench.workspace,
        env: { ...bench.env(), ...env },
        encoding: "utf8",
      });
    expect(list({})).toMatchObject({ status: 0 });
    const without = list({ BASIS_STORE: store });
    expect(without).toMatchObject({ status: 5 });
    expect(without.stderr).toContain("is not here");
    expect(without.stderr).toContain("npm install");
  });
});

describe("a store that cannot be used", () => {
  it("refuses to start (5), says what to do, and shows no password", async () => {
    const own = new URL(store);
    const at = (change: (url: URL) => void): string => {
      const url = new URL(own);
      change(url);
      return url.href;
    };
    const cases: readonly (readonly [string, string, string])[] = [
      [at((url) => (url.port = "1")), "ECONNREFUSED", "see that the server runs"],
      [at((url) => (url.pathname = "/nowhere")), "nowhere", "create it"],
      [at((url) => url.searchParams.set("schema", "No-Schema")), "schema", "lower-case letters"],
      [`mysql://u:${PASSWORD}@h/x`, "only PostgreSQL is known", "postgres://USER"],
      [`not an address ${PASSWORD}`, "is no address", "postgres://USER"],
    ];
    for (const [address, problem, remedy] of cases) {
      const ended = await bench.run(["sessions", "list"], { env: { BASIS_STORE: address } });
      expect(ended).toMatchObject(refused(5, problem, remedy));
      expect(ended.stderr).not.toContain("CANARY");
    }
  });
});
