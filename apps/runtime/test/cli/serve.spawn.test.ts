import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeGrantToken } from "../../src/approvals/grant-token.ts";
import { entry } from "./support/basis-process.ts";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
});
afterAll(() => bench.remove());

/** The built server and a client of it. */
function serve(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [entry, "serve", "--stdio", ...argv], {
    cwd: bench.workspace,
    env: bench.env(env),
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => undefined);
  const waiting = new Map<unknown, (answer: any) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as { id?: unknown };
    waiting.get(message.id)?.(message);
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  let next = 0;
  const ask = (method: string, params: object = {}): Promise<any> => {
    const id = (next += 1);
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  const call = async (method: string, params: object = {}): Promise<any> =>
    (await ask(method, params)).result;
  return { child, ended, ask, call, stderr: () => stderr };
}

const write = { calls: [{ name: "write", input: { path: "note.txt", content: "hello" } }] };

describe("basis serve --stdio", () => {
  it("runs turns, answers an approval by the token's file and forks, over one pipe; then ends with 0", async () => {
    const model = bench.script([write, { text: "written" }]);
    const server = serve(["--model", model]);
    expect(await server.call("server/info")).toMatchObject({
      name: "basis",
      protocol: 1,
      workspace: bench.workspace,
    });
    const { run } = await server.call("runs/start", { prompt: "go", member: "writer" });
    const { status, approval_id: approval } = await server.call("runs/wait", { run });
    expect(status).toBe("parked");
    const token_file = bench.write(join(bench.base, "token"), `${makeGrantToken(bench.data)}\n`, 0o600);
    await server.call("approvals/answer", { approval, decision: "allow", token_file });
    const more = await server.call("runs/start", { session: "writer" });
    expect(await server.call("runs/wait", { run: more.run })).toMatchObject({
      status: "completed",
      text: "written",
    });
    const fork = { source_member_id: "writer", agent_identity: "second", role: "main" };
    expect(await server.call("mobkit/fork_member", fork)).toMatchObject({
      member_alias: "second",
      message_count: 4,
    });
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
    const listed = await bench.run(["sessions", "list", "--json"]);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ member: "writer" }, { member: "second" }]);
  });

  // S6
  it("that an agent's program started answers no approval, and takes no option that grants", async () => {
    const server = serve(["--model", bench.script([write, { text: "written" }])], { BASIS_LINEAGE: "1" });
    const { run } = await server.call("runs/start", { prompt: "go" });
    const { approval_id: approval } = await server.call("runs/wait", { run });
    const token_file = bench.write(join(bench.base, "token"), `${makeGrantToken(bench.data)}\n`, 0o600);
    const { error } = await server.ask("approvals/answer", { approval, decision: "allow", token_file });
    expect(error).toMatchObject({ code: -32010, message: expect.stringContaining("an agent's run") });
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
    for (const option of ["--allow-run", "--trust-workspace", "--approve=always"]) {
      const ended = await bench.run(["serve", "--stdio", option], { env: { BASIS_LINEAGE: "1" } });
      expect(ended).toEqual(expect.objectContaining(refused(5, "cannot grant authority")));
    }
  });

  it.each(["SIGTERM", "SIGINT"] as const)(
    "ends at %s with 130, and leaves no lease behind",
    async (signal) => {
      const server = serve(["--model", bench.script([{ text: "ok" }])]);
      const { run, member } = await server.call("runs/start", { prompt: "go" });
      await server.call("runs/wait", { run });
      server.child.kill(signal);
      expect(await server.ended).toBe(130);
      const next = await bench.run([
        "run",
        "again",
        "--session",
        member,
        "--model",
        bench.script([{ text: "1" }, { text: "2" }]),
      ]);
      expect(next).toMatchObject({ code: 0, stdout: "2\n" });
    },
  );

  it("ends with its client in the middle of a turn: no program is left, and the turn can be gone on with", async () => {
    const pidFile = join(bench.workspace, "pid");
    const argv = ["sh", "-c", `echo $$ > ${pidFile}; exec sleep 300`];
    const model = bench.script([{ calls: [{ name: "run", input: { argv } }] }, { text: "went on" }]);
    const server = serve(["--model", model, "--allow-run", "--approve", "always"]);
    const { member } = await server.call("runs/start", { prompt: "go" });
    while (!existsSync(pidFile) || readFileSync(pidFile, "utf8") === "") await sleep(20);
    const pid = Number(readFileSync(pidFile, "utf8"));
    expect(() => process.kill(pid, 0)).not.toThrow("ESRCH");
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    const next = await bench.run(["run", "--session", member, "--model", model]);
    expect(next).toMatchObject({ code: 0, stdout: "went on\n" });
  });

  it("ends when its client does not read any more", async () => {
    const server = serve(["--model", bench.script([{ text: "ok" }])]);
    await server.call("server/info");
    server.child.stdout.destroy();
    server.child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"server/info"}\n');
    expect([0, 130]).toContain(await server.ended);
  });

  it("refuses to start without a transport, with what is contradictory, and without a model", async () => {
    expect(await bench.run(["serve"])).toEqual(expect.objectContaining(refused(2, "basis serve --stdio")));
    expect(await bench.run(["serve", "--stdio", "--trust-unpinned"])).toEqual(
      expect.objectContaining(refused(2, "goes with --trust-workspace")),
    );
    expect(await bench.run(["serve", "--stdio"])).toEqual(expect.objectContaining(refused(5, "no model")));
  });
});
