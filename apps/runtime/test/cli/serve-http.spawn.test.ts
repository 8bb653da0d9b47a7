import { readFileSync, statSync, existsSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeGrantToken } from "../../src/approvals/grant-token.ts";
import { framesOf, Seen } from "../http/support/stream-client.ts";
import type { Running } from "./support/basis-process.ts";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
});
afterAll(() => bench.remove());

const STRONG = "3f9d0c5be3f14a1c9e6a8f7d2b4c6e80";
const write = { calls: [{ name: "write", input: { path: "note.txt", content: "hello" } }] };

/** The built server, and a client that was given its first line. */
async function serve(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const server = bench.start(["serve", "--http", "127.0.0.1:0", ...argv], { env });
  const found = await lineOf(server);
  const [origin, token = env["BASIS_SERVER_TOKEN"]] = found.split("/#token=") as [string, string?];
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const call = async (method: string, params: object = {}): Promise<any> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(`${origin.replace(/\/$/, "")}/rpc`, { method: "POST", headers, body });
    return ((await response.json()) as { result?: unknown }).result;
  };
  return { server, origin, token, headers, call, line: found };
}

async function lineOf(server: Running): Promise<string> {
  return (await server.line(/^http:\/\/\S+$/m)).trim();
}

describe("basis serve --http", () => {
  it("prints its address with a token, runs turns, takes an approval by the token's file, and ends in order", async () => {
    const { server, origin, headers, call } = await serve([
      "--model",
      bench.script([write, { text: "written" }]),
    ]);
    expect(await call("server/info")).toMatchObject({ name: "basis", workspace: bench.workspace });
    const { run } = await call("runs/start", { prompt: "go", member: "writer" });
    const { status, approval_id: approval } = await call("runs/wait", { run });
    expect(status).toBe("parked");
    const token_file = bench.write(join(bench.base, "token"), `${makeGrantToken(bench.data)}\n`, 0o600);
    await call("approvals/answer", { approval, decision: "allow", token_file });
    const more = await call("runs/start", { session: "writer" });
    expect(await call("runs/wait", { run: more.run })).toMatchObject({
      status: "completed",
      text: "written",
    });
    const seen = new Seen();
    const following = (async () => {
      const response = await fetch(`${origin}/events?session=writer`, { headers });
      for await (const frame of framesOf(response)) {
        seen.take(frame);
        if (seen.ids.length === 3) server.kill("SIGTERM");
      }
    })();
    expect(await server.ended).toMatchObject({ code: 130 });
    await following;
    expect(seen.controls.at(-1)).toEqual({ control: "ending", last_id: seen.lastId });
  });

  it("does not print a token that was set by hand, and is reached from elsewhere only with one", async () => {
    const env = { BASIS_SERVER_TOKEN: STRONG };
    const { server, line, call } = await serve(["--model", bench.script([]), "--http", "0.0.0.0:0"], env);
    expect(line).toMatch(/^http:\/\/0\.0\.0\.0:\d+\/$/);
    expect(await call("server/info")).toMatchObject({ name: "basis" });
    server.kill("SIGINT");
    server.kill("SIGINT");
    const { code, stderr } = await server.ended;
    expect([code, stderr]).toEqual([130, expect.stringContaining("not encrypted")]);
    expect(stderr).not.toContain(STRONG);
  });

  it("opens a browser with a file that only its user reads, and goes on where there is none", async () => {
    const said = join(bench.base, "opened");
    const bin = join(bench.base, "bin");
    bench.write(
      join(bin, "xdg-open"),
      `#!/bin/sh\n{ echo "$1"; env; } > ${said}.part; mv ${said}.part ${said}\n`,
      0o755,
    );
    const env = { DISPLAY: ":0", SOME_API_KEY: "canary", PATH: `${bin}:${process.env["PATH"]}` };
    const { server, line } = await serve(["--open", "--model", bench.script([])], env);
    while (!existsSync(said)) await new Promise((resolve) => setTimeout(resolve, 20));
    const [argument = "", ...environment] = readFileSync(said, "utf8").split("\n");
    expect(environment).toContain("DISPLAY=:0");
    expect(environment.join("\n")).not.toContain("canary");
    expect(argument).toMatch(/^file:\/\/\S+\.html$/);
    const file = fileURLToPath(argument);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readFileSync(file, "utf8")).toContain(`content="0;url=${line}"`);
    server.kill("SIGTERM");
    expect(await server.ended).toMatchObject({ code: 130 });
    expect(existsSync(file)).toBe(false);
    const alone = await serve(["--open", "--model", bench.script([])]);
    alone.server.kill("SIGTERM");
    expect((await alone.server.ended).stderr).toContain("no desktop");
  });

  it("refuses to start with what is to be done", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as AddressInfo;
    const model = ["--model", bench.script([])];
    const open = bench.write(join(bench.base, "open-token"), STRONG, 0o644);
    const weak = bench.write(join(bench.base, "weak-token"), "hunter2", 0o600);
    const cases: readonly (readonly [number, string, readonly string[]])[] = [
      [5, "another program does", ["--http", `127.0.0.1:${port}`]],
      [
        5,
        "this machine has no such address",
        [
          "--http",
          "203.0.113.7:0",
          "--server-token-file",
          bench.write(join(bench.base, "own-token"), STRONG, 0o600),
        ],
      ],
      [5, "BASIS_SERVER_TOKEN", ["--http", "0.0.0.0:0"]],
      [5, "BASIS_SERVER_TOKEN", ["--http", "[::]:0"]],
      [5, "7 characters", ["--http", "0", "--server-token-file", weak]],
      [5, "chmod 600", ["--http", "0", "--server-token-file", open]],
      [2, "an address such as", ["--http", "agent.example:80"]],
      [2, "by one of", ["--http", "0", "--stdio"]],
      [2, "--open goes with --http", ["--stdio", "--open"]],
      [2, "names such as", ["--http", "0", "--allow-host", "http://x"]],
    ];
    for (const [code, says, argv] of cases)
      expect(await bench.run(["serve", ...argv, ...model])).toEqual(
        expect.objectContaining(refused(code, says)),
      );
    taken.close();
  });
});
