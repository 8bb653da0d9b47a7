import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { entry } from "./support/basis-process.ts";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";
import { park, tokenOptions } from "./support/waiting.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.remove());

const write = { calls: [{ name: "write", input: { path: "new.txt", content: "new\n" } }] };

// S6
describe("a program that an agent started", () => {
  const routes: readonly (readonly [string, (id: string) => readonly string[]])[] = [
    ["approvals allow", (id) => ["approvals", "allow", id]],
    ["approvals deny", (id) => ["approvals", "deny", id]],
    ["approvals token", () => ["approvals", "token"]],
    ["rules revoke", () => ["rules", "revoke", "some-rule"]],
  ];

  const escapes: readonly (readonly [string, readonly string[]])[] = [
    ["by taking the mark off", ["env", "-u", "BASIS_LINEAGE"]],
    ["by a shell without it", ["sh", "-c", 'unset BASIS_LINEAGE; "$@"; exit $?', "sh"]],
    ["in a session of its own", ["setsid", "-w", "env", "-u", "BASIS_LINEAGE"]],
  ];

  it.each(routes)("cannot use 'basis %s', with the token or without", async (_name, argvOf) => {
    const { id } = await park(bench, bench.script([write, { text: "." }]));
    const argv = argvOf(id);
    const token = argv[1] === "token" ? [] : tokenOptions(bench);
    const env = { BASIS_LINEAGE: "1" };
    for (const more of [[], token])
      expect(await bench.run([...argv, ...more], { env })).toMatchObject(
        refused(5, "it cannot grant authority"),
      );
  });

  // Processes above are seen where there is /proc.
  it.each(process.platform === "linux" ? escapes : [])("cannot %s either", async (_name, wrap) => {
    const { id } = await park(bench, bench.script([write, { text: "." }]));
    const argv = [...wrap, process.execPath, entry, "approvals", "allow", id, ...tokenOptions(bench)];
    const env = { BASIS_DATA_DIR: bench.data };
    const inner = ["env", ...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...argv];
    const model = bench.script([{ calls: [{ name: "run", input: { argv: inner } }] }, { text: "done" }]);
    const ended = await bench.run([
      "run",
      "x y",
      "--allow-run",
      "--approve",
      "always",
      "--json",
      "--model",
      model,
    ]);
    expect(ended.event("tool_completed").data.output).toContain("it cannot grant authority");
    const { stdout } = await bench.run(["approvals", "show", id, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ state: "open" });
  });

  // The host may be gone by then: what it started still carries the mark, at whatever distance.
  it.each(process.platform === "linux" ? [1, 2] : [])(
    "cannot below a marked process either, %i above",
    async (above) => {
      const inner = `env -u BASIS_LINEAGE "$NODE" "$ENTRY" approvals token; exit $?`;
      const script = above === 1 ? inner : `env -u BASIS_LINEAGE sh -c '${inner}'; exit $?`;
      const places = { ...bench.env(), NODE: process.execPath, ENTRY: entry };
      const run = (env: Record<string, string>) =>
        spawnSync("sh", ["-c", script], { env: { ...places, ...env }, encoding: "utf8" });
      expect(run({ BASIS_LINEAGE: "1" }).stderr).toContain("it cannot grant authority");
      // No token stands in for a person here: it is what would be made.
      expect(run({}).stderr).toBe("basis: nobody can be asked here; run it in a terminal\n");
    },
  );

  it("while a person's own script may", async () => {
    const { id } = await park(bench, bench.script([write, { text: "." }]));
    expect(await bench.run(["approvals", "allow", id, ...tokenOptions(bench)])).toMatchObject({ code: 0 });
  });
});

describe("basis rules", () => {
  async function kept(...more: readonly string[]): Promise<string> {
    const { id } = await park(bench, bench.script([write, { text: "." }]));
    const argv = ["approvals", "allow", id, "--remember", "workspace", ...more, ...tokenOptions(bench)];
    return /kept as rule (\S+);/.exec((await bench.run(argv)).stderr)![1]!;
  }

  it("lists what is remembered, and revokes it: the call is asked about again", async () => {
    const rule = await kept();
    const listed = await bench.run(["rules", "list"]);
    expect(listed.stdout).toMatch(new RegExp(`${rule} +workspace +allow write: .*new\\.txt`));
    expect((await bench.run(["rules", "revoke", rule, ...tokenOptions(bench)])).code).toBe(0);
    expect((await bench.run(["rules", "list"])).stdout).toContain("no rules");
    const argv = ["run", "again", "--json", "--model", bench.script([write, { text: "." }])];
    expect((await bench.run(argv)).event("permission_resolved").data.decision).toBe("deny");
    expect(await bench.run(["rules", "revoke", rule, ...tokenOptions(bench)])).toMatchObject(
      refused(1, `there is no rule '${rule}'`),
    );
  });

  it("reports a rule that has expired as lapsed, and it decides nothing", async () => {
    await kept("--expires", "1ms");
    expect((await bench.run(["rules", "list"])).stdout).toContain("lapsed: it has expired");
    const [view] = JSON.parse((await bench.run(["rules", "list", "--json"])).stdout) as object[];
    expect(view).toMatchObject({ state: "lapsed", dead: "it has expired" });
    const argv = ["run", "again", "--json", "--model", bench.script([write, { text: "." }])];
    expect((await bench.run(argv)).event("permission_resolved").data.decision).toBe("deny");
  });

  it("names a damaged rule; every call of its tool is denied until it is revoked", async () => {
    const rule = await kept();
    const { DatabaseSync } = await import("@photostructure/sqlite");
    const db = new DatabaseSync(join(bench.data, "sessions.db"));
    db.exec("UPDATE runtime_rule SET rule = 'x'");
    db.close();
    expect(await bench.run(["rules", "list"])).toMatchObject(refused(1, rule, "is damaged"));
    const argv = [
      "run",
      "x y",
      "--approve",
      "always",
      "--json",
      "--model",
      bench.script([write, { text: "." }]),
    ];
    expect((await bench.run(argv)).event("permission_resolved").data).toMatchObject({
      decision: "deny",
      by: "the rule store",
    });
    expect((await bench.run(["rules", "revoke", rule, ...tokenOptions(bench)])).code).toBe(0);
    expect((await bench.run(argv)).event("permission_resolved").data.decision).toBe("allow");
  });
});
