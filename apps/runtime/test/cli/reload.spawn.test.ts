import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { mcpFile } from "../mcp/support/mcp-host.ts";
import { entry } from "./support/basis-process.ts";
import { Bench } from "./support/bench.ts";

const says = (text: string): string => `import { readFileSync } from "node:fs";
readFileSync(0);
console.log(JSON.stringify({ schema: 1, decision: "deny", reason: "${text}" }));
`;

it("a server that lives long uses what changed from the next turn on, and says what it does not use", async () => {
  const bench = new Bench();
  onTestFinished(() => bench.remove());
  const log = (name: string): string => join(bench.base, `${name}.log`);
  const servers = (...names: readonly string[]): void => {
    const plans = Object.fromEntries(names.map((name) => [name, { log: log(name) }]));
    bench.write(".mcp.json", mcpFile(plans));
  };
  const starts = (name: string): number =>
    existsSync(log(name)) ? readFileSync(log(name), "utf8").split("started ").length - 1 : 0;
  const read = { calls: [{ name: "read", input: { path: "README.md" } }] };
  const model = bench.script([[read], [{ when: { contains: "denied" }, text: "no" }, { text: "yes" }]]);
  bench.write("AGENTS.md", "One.");
  servers("kept", "goes");
  const child = spawn(process.execPath, [entry, "serve", "--stdio", "--model", model, "--trust-workspace"], {
    cwd: bench.workspace,
    env: bench.env(),
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const waiting = new Map<unknown, (answer: { result: any }) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as { id?: unknown; result: unknown };
    waiting.get(message.id)?.(message);
  });
  let next = 0;
  const call = async (method: string, params: object = {}): Promise<any> => {
    const id = (next += 1);
    const answered = new Promise<{ result: unknown }>((resolve) => waiting.set(id, resolve));
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return (await answered).result;
  };
  const turn = async (): Promise<{ text: string; events: any[] }> => {
    const { run, session } = await call("runs/start", { prompt: "go" });
    const { text } = await call("runs/wait", { run });
    const { events } = await call("events/read", { session });
    return { text, events };
  };
  const first = await turn();
  expect(first.text).toBe("yes");
  const [{ data: started }] = first.events;
  expect([starts("kept"), starts("goes")]).toEqual([1, 1]);

  // An operator's guard and a context file: no trust is needed.
  bench.write("AGENTS.md", "Two.");
  bench.hook("shut", says("not today"), ["read"]);
  const second = await turn();
  expect(second.text).toBe("no");
  expect(second.events[0].data.context_files[0].digest).not.toBe(started.context_files[0].digest);
  expect(stderr).toMatch(/read anew, for turns from now on: .*AGENTS\.md/);
  expect([starts("kept"), starts("goes")]).toEqual([1, 1]);

  // Nobody has trusted the new server, and a guard may not be lost.
  servers("kept", "comes");
  const third = await turn();
  expect(third.events[1]).toMatchObject({ type: "notice", data: { code: "not_reloaded" } });
  expect(third.events[1].data.text).toContain(".mcp.json is not what was trusted");
  expect(third.events[0].data.mcp_servers).toEqual(["kept", "goes"]);
  expect((await call("server/info")).workspace_problem).toContain("MCP server 'comes' was added");
  expect(starts("comes")).toBe(0);

  expect((await bench.run(["trust", "--yes"])).code).toBe(0);
  const fourth = await turn();
  expect(fourth.events[0].data.mcp_servers).toEqual(["kept", "comes"]);
  expect([starts("kept"), starts("comes")]).toEqual([1, 1]);
  expect(await call("server/info")).not.toHaveProperty("workspace_problem");

  writeFileSync(join(bench.config, "hooks.json"), JSON.stringify({ schema: 1, hooks: [] }));
  const fifth = await turn();
  expect(fifth.text).toBe("no");
  expect(fifth.events[1].data.text).toContain("may not remove, change or reorder");
  child.stdin.end();
  expect((await once(child, "close"))[0]).toBe(0);
});
