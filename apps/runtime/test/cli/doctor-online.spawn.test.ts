import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Finding } from "../../src/doctor/finding.ts";
import { mcpFile, notesOf, processesOf } from "../mcp/support/mcp-host.ts";
import { isAlive } from "../crash/support/processes.ts";
import { refusal, WireServer } from "../providers/wire-server.ts";
import { Bench } from "./support/bench.ts";

const KEY = "sk-canary-1234567890";
let bench: Bench;
let provider: WireServer;
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  bench = new Bench();
  provider = new WireServer(refusal(200, {}));
  env = { BASIS_BASE_URL: await provider.listen(), BASIS_API_KEY: KEY, BASIS_MODEL: "openai-compatible/any" };
});
afterEach(async () => {
  bench.remove();
  await provider.close();
});

async function doctor(...argv: readonly string[]): Promise<readonly Finding[]> {
  const ended = await bench.run(["doctor", "--json", ...argv], { env });
  expect(ended.stdout + ended.stderr).not.toContain(KEY);
  return (JSON.parse(ended.stdout) as { findings: readonly Finding[] }).findings;
}

describe("basis doctor --online", () => {
  it("asks and starts only when it is told to, and starts no server that is not trusted", async () => {
    const log = join(bench.base, "log");
    bench.write(".mcp.json", mcpFile({ s: { log } }));
    const offline = await doctor();
    expect(offline.filter(({ section }) => section === "online")).toEqual([]);
    expect(provider.requests).toEqual([]);

    const online = await doctor("--online");
    const of = (findings: readonly Finding[], name: string): Finding | undefined =>
      findings.find((finding) => finding.section === "online" && finding.name === name);
    expect(of(online, "openai-compatible")).toMatchObject({ level: "ok" });
    expect(of(online, "server s")).toMatchObject({ level: "warning", facts: { state: "untrusted" } });
    expect(provider.requests).toHaveLength(1);
    expect(notesOf(log)).toEqual([]);

    const model = bench.script([{ text: "hi" }]);
    await bench.run(["run", "go", "--trust-workspace", "--model", model]);
    const trusted = await doctor("--online");
    expect(of(trusted, "server s")).toMatchObject({ level: "ok", facts: { state: "ready", reason: null } });
    const started = processesOf(log);
    expect(started).toHaveLength(2);
    expect(started.filter(isAlive)).toEqual([]);
  });
});
