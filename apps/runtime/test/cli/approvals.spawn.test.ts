import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";
import { Terminal } from "./support/terminal.ts";
import { park, tokenOptions } from "./support/waiting.ts";

let bench: Bench;
let model: string;
const write = { calls: [{ name: "write", input: { path: "new.txt", content: "new\n" } }] };
beforeEach(() => {
  bench = new Bench();
  model = bench.script([write, { text: "that was it" }]);
});
afterEach(() => bench.remove());

const wrote = (): boolean => existsSync(join(bench.workspace, "new.txt"));

// D12, S28
describe("basis approvals", () => {
  it("lists what waits and shows it whole, from another process", async () => {
    const { id, session } = await park(bench, model);
    const listed = await bench.run(["approvals", "list"]);
    expect(listed.stdout).toMatch(new RegExp(`${id} +open +write +.*path=new\\.txt`));
    const { stdout } = await bench.run(["approvals", "show", id.slice(-8), "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      approval: id,
      state: "open",
      tool: "write",
      level: "local_state",
      session,
      workspace: bench.workspace,
      call: write.calls[0]!.input,
    });
    expect((await bench.run(["approvals", "list", "--session", "other"])).stdout).toContain("nothing waits");
  });

  it("allow lets the very same digest run once the session goes on, and no other time", async () => {
    const { ended, id, session } = await park(bench, model);
    const allowed = await bench.run(["approvals", "allow", id, ...tokenOptions(bench)]);
    expect(allowed).toMatchObject({ code: 0, stdout: "" });
    expect(allowed.stderr).toContain(`allowed ${id}`);
    expect(wrote()).toBe(false);
    const next = await bench.run(["run", "--session", session, "--json", "--model", model]);
    expect(next.code).toBe(0);
    expect(next.event("tool_started").data.digest).toBe(ended.event("permission_requested").data.digest);
    expect(wrote()).toBe(true);
    const again = await bench.run(["approvals", "allow", id, ...tokenOptions(bench)]);
    expect(again).toMatchObject(refused(1, id, "was used: its call has run"));
  });

  it("deny tells the agent the reason", async () => {
    const { id, session } = await park(bench, model);
    const denied = await bench.run(["approvals", "deny", id, "--reason", "not here", ...tokenOptions(bench)]);
    expect(denied.code).toBe(0);
    const next = await bench.run(["run", "--session", session, "--json", "--model", model]);
    expect(next.code).toBe(0);
    expect(next.event("tool_completed").data).toMatchObject({
      is_error: true,
      output: "Tool execution denied: not here",
    });
    expect(wrote()).toBe(false);
  });

  it("takes one answer alone, and none for what nobody asked", async () => {
    const { id } = await park(bench, model);
    const token = tokenOptions(bench);
    expect((await bench.run(["approvals", "deny", id, ...token])).code).toBe(0);
    expect(await bench.run(["approvals", "allow", id, ...token])).toMatchObject(
      refused(1, "was answered already: denied"),
    );
    expect(await bench.run(["approvals", "allow", "nothing-of-it", ...token])).toMatchObject(
      refused(1, "there is no approval 'nothing-of-it'"),
    );
  });

  // S10
  it("does not run what has changed since it was asked about", async () => {
    const run = { calls: [{ name: "run", input: { argv: ["sh", "script.sh"] } }] };
    const script = bench.script([run, { text: "that was it" }]);
    bench.write("script.sh", "echo harmless\n");
    const { id, session } = await park(bench, script, "--allow-run");
    expect((await bench.run(["approvals", "allow", id, ...tokenOptions(bench)])).code).toBe(0);
    bench.write("script.sh", "touch new.txt\n");
    const next = await bench.run(["run", "--session", session, "--allow-run", "--json", "--model", script]);
    expect(next.event("tool_completed").data).toMatchObject({ is_error: true });
    expect(next.event("tool_completed").data.output).toContain("stale_approval");
    expect(wrote()).toBe(false);
  });

  it("refuses an answer that comes after the question expired", async () => {
    const { id } = await park(bench, model);
    const file = join(bench.data, "sessions.db");
    const { DatabaseSync } = await import("@photostructure/sqlite");
    const db = new DatabaseSync(file);
    db.exec("UPDATE runtime_approval SET expires_at = 1, record = json_set(record, '$.expiresAt', 1)");
    db.close();
    expect(await bench.run(["approvals", "allow", id, ...tokenOptions(bench)])).toMatchObject(
      refused(1, "has expired"),
    );
    expect((await bench.run(["approvals", "list", "--all"])).stdout).toContain("expired");
  });

  it("allow --remember keeps the narrowest rule: the call runs unasked, another is asked about", async () => {
    const { id } = await park(bench, model);
    const argv = ["approvals", "allow", id, "--remember", "workspace", ...tokenOptions(bench)];
    expect((await bench.run(argv)).stderr).toMatch(/kept as rule \S+/);
    const same = await bench.run(["run", "again", "--json", "--model", model]);
    expect(same.event("permission_resolved").data).toMatchObject({ decision: "allow" });
    const other = { calls: [{ name: "write", input: { path: "other.txt", content: "new\n" } }] };
    const ended = await bench.run(["run", "x y", "--json", "--model", bench.script([other, { text: "." }])]);
    expect(ended.event("permission_resolved").data.decision).toBe("deny");
  });

  it("deny --remember refuses from then on", async () => {
    const { id } = await park(bench, model);
    const argv = [
      "approvals",
      "deny",
      id,
      "--reason",
      "never",
      "--remember",
      "global",
      ...tokenOptions(bench),
    ];
    expect((await bench.run(argv)).code).toBe(0);
    const ended = await bench.run(["run", "again", "--approve", "always", "--json", "--model", model]);
    expect(ended.event("tool_completed").data.output).toContain("Tool execution denied: never");
  });
});

// S14
describe("a rule by words for git", () => {
  const status = { calls: [{ name: "run", input: { argv: ["git", "status"] } }] };
  const git = (...argv: readonly string[]): unknown => execFileSync("git", argv, { cwd: bench.workspace });

  it("allows it where the repository starts nothing, and not once its settings could", async () => {
    model = bench.script([status, { text: "." }]);
    const { id } = await park(bench, model, "--allow-run");
    const more = ["--remember", "workspace", "--words", "2", ...tokenOptions(bench)];
    expect((await bench.run(["approvals", "allow", id, ...more])).code).toBe(0);
    const decided = async (): Promise<string> => {
      const ended = await bench.run(["run", "x y", "--allow-run", "--json", "--model", model]);
      return ended.event("permission_resolved").data.decision;
    };
    expect(await decided()).toBe("allow");
    git("config", "core.fsmonitor", "./touch-it");
    expect(await decided()).toBe("deny");
    git("config", "--unset", "core.fsmonitor");
    expect(await decided()).toBe("allow");
  });
});

// S6
describe("an answer", () => {
  it("needs a terminal or the token", async () => {
    const { id } = await park(bench, model);
    expect(await bench.run(["approvals", "allow", id])).toMatchObject(refused(5, "nobody can be asked here"));
  });

  it.each([
    ["another token", "x".repeat(43), 0o600, "not the one that 'basis approvals token' made last"],
    ["a token that others may read", "x", 0o644, "others may read"],
  ])("is not taken with %s", async (_name, content, mode, problem) => {
    const { id } = await park(bench, model);
    tokenOptions(bench);
    const file = bench.write(join(bench.base, "wrong"), content, mode);
    expect(await bench.run(["approvals", "allow", id, "--token-file", file])).toMatchObject(
      refused(5, problem),
    );
  });

  it("is not taken with a token that lies in the workspace, where tools could read it", async () => {
    const { id } = await park(bench, model);
    const [, file] = tokenOptions(bench);
    bench.write("token", readFileSync(file!, "utf8"), 0o600);
    expect(await bench.run(["approvals", "allow", id, "--token-file", "token"])).toMatchObject(
      refused(5, "lies inside the workspace"),
    );
  });

  it("is taken with the token on standard input, made and shown once at a terminal", async () => {
    const { id } = await park(bench, model);
    const terminal = new Terminal(bench, ["approvals", "token"], { NO_COLOR: "1" });
    await terminal.saw("Type yes");
    terminal.type("yes\r");
    expect(await terminal.ended).toBe(0);
    const token = /[\w-]{43}/.exec(terminal.output)![0];
    const allowed = await bench.run(["approvals", "allow", id, "--token-file", "-"], { stdin: `${token}\n` });
    expect(allowed.code).toBe(0);
    expect(readFileSync(join(bench.data, "grant-token.json"), "utf8")).not.toContain(token);
  });

  // S12
  it("is given to a call whose control, bidi and invisible characters are shown, in lists too", async () => {
    const path = "safe\u202Etxt.\u001B[2K\u200Bexe";
    const { id } = await park(
      bench,
      bench.script([{ calls: [{ name: "write", input: { path, content: "" } }] }, { text: "." }]),
    );
    const shown = [
      ["approvals", "list"],
      ["approvals", "show", id],
    ].map((argv) => bench.run(argv));
    for (const { stdout } of await Promise.all(shown)) {
      expect(stdout).toContain("safe\\u{202e}txt.\\u{1b}[2K\\u{200b}exe");
      for (const raw of ["\u202E", "\u001B", "\u200B"]) expect(stdout).not.toContain(raw);
    }
  });

  it.each([
    ["yes\r", 0],
    ["y\r", 1],
    ["\r", 1],
  ])("at a terminal is the whole word yes: %j", async (keys, code) => {
    const { id } = await park(bench, model);
    const terminal = new Terminal(bench, ["approvals", "allow", id], { NO_COLOR: "1" });
    await terminal.saw("Allow this call? Type yes");
    expect(terminal.output).toContain("path: new.txt");
    terminal.type(keys);
    expect(await terminal.ended).toBe(code);
    const { stdout } = await bench.run(["approvals", "show", id, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ state: code === 0 ? "allowed" : "open" });
  });

  it("at a terminal shows the rule that it keeps, and a refusal asks for one", async () => {
    const { id } = await park(bench, model);
    const argv = ["approvals", "deny", id, "--remember", "session"];
    const terminal = new Terminal(bench, argv, { NO_COLOR: "1" });
    await terminal.saw("Refuse this call? Type yes");
    expect(terminal.output).toContain("and keeps a rule, scope session:");
    expect(terminal.output).toContain("also denies this same call again");
    terminal.type("yes\r");
    expect(await terminal.ended).toBe(0);
    const [rule] = JSON.parse((await bench.run(["rules", "list", "--json"])).stdout) as object[];
    expect(rule).toMatchObject({ effect: "deny", scope: "session", state: "holds" });
  });
});
