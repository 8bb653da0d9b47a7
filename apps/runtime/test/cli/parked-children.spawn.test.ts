import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";
import { park, tokenOptions } from "./support/waiting.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.remove());

const task = { calls: [{ name: "spawn", input: { input: "write it" } }] };
const write = { calls: [{ name: "write", input: { path: "new.txt", content: "new\n" } }] };

// D12: first the delegation is asked about, then the child's own call, with the path of the agent that makes it.
it("a delegation and then its child's call are answered from outside, and the root goes on to its end", async () => {
  const model = bench.script([task, { text: "all done" }], {
    child: { rounds: [write, { text: "written" }] },
  });
  const { id: first, session } = await park(bench, model);
  const goOn = ["run", "--session", session, "--approve", "park", "--json", "--model", model];
  expect((await bench.run(["approvals", "allow", first, ...tokenOptions(bench)])).code).toBe(0);
  const second = await bench.run(goOn);
  expect(second.code).toBe(4);
  const { stdout } = await bench.run(["approvals", "list", "--json"]);
  const [view, ...others] = JSON.parse(stdout) as { approval: string; agent: string; member: string }[];
  expect(others).toEqual([]);
  expect(view).toMatchObject({ tool: "write", state: "open" });
  expect(view!.agent).toMatch(new RegExp(`^${view!.member}/child-`));
  expect(second.stderr).toContain(`it waits for approval ${view!.approval}`);
  const allowed = await bench.run(["approvals", "allow", view!.approval, ...tokenOptions(bench)]);
  expect(allowed.stderr).toContain(`basis run --session ${view!.member}`);
  expect(existsSync(join(bench.workspace, "new.txt"))).toBe(false);
  const last = await bench.run(goOn);
  expect(last.code).toBe(0);
  expect(existsSync(join(bench.workspace, "new.txt"))).toBe(true);
  expect(last.events().at(-1)).toMatchObject({ type: "run_finished", data: { status: "completed" } });
});
