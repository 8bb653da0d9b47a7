import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { answeringScript, entry, makeCliFixture, type CliFixture } from "./support/cli-fixture.ts";

let fixture: CliFixture;
beforeEach(async () => {
  fixture = await makeCliFixture();
});

const push = JSON.stringify({ tool_name: "run", input: { command: "git push" } });
const script = (name: string, decision: object) =>
  fixture.write(`workspace/${name}`, answeringScript(decision), 0o700);

describe("basis-hooks explain", () => {
  it("shows who was asked, in order, what each answered, who was not and why", async () => {
    await fixture.globalHooks({ name: "operator", command: ["./allow.sh"] });
    await script("allow.sh", { decision: "allow" });
    await script("deny.sh", { decision: "deny", reason: "not today" });
    await fixture.ownHooks(
      { name: "reader", command: ["./allow.sh"], tools: ["read"] },
      { name: "no-push", command: ["./deny.sh"], input: { "/command": "git push*" } },
      { name: "later", command: ["./allow.sh"] },
      { name: "after", command: ["./allow.sh"], event: "post_tool_use" },
    );
    expect((await fixture.run(["trust", "--yes"])).code).toBe(0);
    const call = await fixture.write("call.json", push);
    const { code, document } = await fixture.json(["explain", call]);
    expect(code).toBe(0);
    expect(document).toMatchObject({
      call: { event: "pre_tool_use", agent_id: "main", tool_name: "run" },
      outcome: { decision: "deny", reason: "denied by hook 'no-push': not today" },
      asked: [
        { position: 1, name: "operator", rank: "global", decision: "allow", ms: expect.any(Number) },
        { position: 3, name: "no-push", rank: "workspace", decision: "deny", reason: "not today", line: 1 },
      ],
      not_asked: [
        { position: 2, name: "reader", why: "filtered", because: "its 'tools' are 'read'" },
        { position: 4, name: "later", why: "ended" },
        { position: 5, name: "after", because: "it is for post_tool_use" },
      ],
      changes: [],
      model_reads: { kind: "error", text: "denied by hook 'no-push': not today" },
    });
    const { stdout } = await fixture.run(["explain", call]);
    expect(stdout).toMatch(/1 {2}hook 'operator' \(global\) {2}allow/);
    expect(stdout).toContain("denied by hook 'no-push': not today");
  });

  it("shows what a rewrite changed, its digests, and who judged it again", async () => {
    // H92
    const allow = { command: ["./allow.sh"] };
    await script("allow.sh", { decision: "allow" });
    await script("rewrite.sh", { decision: "modify", input: { command: "git status" }, reason: "read only" });
    await fixture.globalHooks({ name: "operator", ...allow });
    await fixture.ownHooks({ name: "rewriter", command: ["./rewrite.sh"] });
    const { document } = await fixture.json(["explain", "-", "--run-untrusted"], { stdin: push });
    const digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
    expect(document).toMatchObject({
      outcome: { decision: "modify", input: { command: "git status" } },
      asked: [
        { name: "operator", mode: "decide" },
        { name: "rewriter", decision: "modify", digest_before: digest, digest_after: digest },
        { name: "operator", mode: "recheck" },
      ],
      changes: [{ pointer: "/command", before: "git push", after: "git status" }],
      model_reads: { kind: "result" },
    });
    const { stdout } = await fixture.run(["explain", "-", "--run-untrusted"], { stdin: push });
    expect(stdout).toContain('/command: "git push" became "git status"');
    expect(stdout).toContain("asked again on the final input");
  });

  it("asks after a call as well", async () => {
    await script("redact.sh", { decision: "replace", output: { text: "***" }, is_error: true });
    await fixture.ownHooks({ name: "redact", command: ["./redact.sh"], event: "post_tool_use" });
    const call = { tool_name: "read", input: {}, event: "post_tool_use", output: { text: "secret" } };
    const { document } = await fixture.json(["explain", "-", "--run-untrusted"], {
      stdin: JSON.stringify(call),
    });
    expect(document).toMatchObject({
      outcome: { decision: "replace", output: { text: "***" }, is_error: true },
      changes: [{ pointer: "/output/text" }, { pointer: "/is_error", before: false, after: true }],
      model_reads: { kind: "replacement", output: { text: "***" }, is_error: true },
    });
  });

  it("quotes a broken hook for the person, and not in what the model reads", async () => {
    await script("broken.sh", { decision: "later", note: "hostile words" });
    await fixture.ownHooks({ name: "broken", command: ["./broken.sh"] });
    const { document } = await fixture.json(["explain", "-", "--run-untrusted"], { stdin: push });
    expect(document).toMatchObject({
      asked: [
        {
          decision: "broken",
          failure: { code: "invalid_answer", detail: expect.stringContaining("hostile") },
        },
      ],
      model_reads: { text: expect.not.stringContaining("hostile") },
    });
    const { stdout } = await fixture.run(["explain", "-", "--run-untrusted"], { stdin: push });
    expect(stdout).toContain("on failure: deny");
  });

  it("refuses hooks that nobody trusted, and says how to trust them; --dry runs nothing", async () => {
    // S3
    const proof = join(fixture.root, "ran");
    await fixture.write(
      "workspace/guard.sh",
      `#!/bin/sh\ntouch ${proof}\necho '{"decision":"allow"}'\n`,
      0o700,
    );
    await fixture.ownHooks({ name: "guard", command: ["./guard.sh"] });
    const refused = await fixture.run(["explain", "-"], { stdin: push });
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain("not trusted");
    expect(refused.stderr).toContain(`basis-hooks trust --workspace ${fixture.workspace}`);
    const dry = await fixture.json(["explain", "-", "--dry"], { stdin: push });
    expect(dry).toMatchObject({
      code: 0,
      document: { would_ask: [{ name: "guard", trust: "untrusted" }], would_not_ask: [] },
    });
    expect(existsSync(proof)).toBe(false);
    expect((await fixture.run(["explain", "-", "--run-untrusted"], { stdin: push })).code).toBe(0);
    expect(existsSync(proof)).toBe(true);
  });

  it("never runs what differs from what was trusted", async () => {
    await script("guard.sh", { decision: "allow" });
    await fixture.ownHooks({ name: "guard", command: ["./guard.sh"] });
    await fixture.run(["trust", "--yes"]);
    expect((await fixture.run(["explain", "-"], { stdin: push })).code).toBe(0);
    await script("guard.sh", { decision: "deny" });
    const { code, stderr } = await fixture.run(["explain", "-", "--run-untrusted"], { stdin: push });
    expect(code).toBe(5);
    expect(stderr).toContain("guard.sh changed");
  });

  it.each([
    ["no JSON", '{\n"tool_name": }', ":2: "],
    [
      "a mistyped key",
      '{ "tool_name": "run",\n"inputs": {} }',
      ":2: unknown key 'inputs' in a call; did you mean 'input'?",
    ],
    ["no tool", "{}", "a call needs 'tool_name'"],
    ["a key twice", '{"tool_name":"a",\n"tool_name":"b","input":{}}', ":2: the key"],
    ["a wrong value", '{"tool_name":"a","input":{},\n"depth":-1}', ":2: 'depth' must be"],
    ["a result before the call", '{"tool_name":"a","input":{},\n"output":1}', "goes with"],
    ["no result after it", '{"tool_name":"a","input":{},"event":"post_tool_use"}', "needs its 'output'"],
    ["a list", "[]", "a call must be an object"],
    ["nothing", "", ":1: "],
  ])("refuses a call that is %s with 5, naming the line", async (_, stdin, says) => {
    const { code, stderr, stdout } = await fixture.run(["explain", "-"], { stdin });
    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    expect(stderr).toContain("standard input:");
    expect(stderr).toContain(says);
  });

  it("ends with 130 when it is interrupted, and leaves nothing running", async () => {
    await fixture.write("workspace/hang.sh", "#!/bin/sh\necho $$ > pid\nsleep 600\n", 0o700);
    await fixture.ownHooks({ name: "hang", command: ["./hang.sh"], timeout_ms: 100_000 });
    const child = spawn(process.execPath, [entry, "explain", "-", "--run-untrusted"], {
      cwd: fixture.workspace,
      env: { ...fixture.env },
    });
    child.stdin.end(push);
    const ended = new Promise((resolve) => child.once("close", resolve));
    const pidFile = join(fixture.workspace, "pid");
    const pid = await untilWritten(pidFile);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});

async function untilWritten(path: string): Promise<number> {
  const { readFile } = await import("node:fs/promises");
  for (;;) {
    const text = await readFile(path, "utf8").catch(() => "");
    if (text.endsWith("\n")) return Number(text);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
