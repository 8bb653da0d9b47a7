import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";

let bench: Bench;
let model: string;
beforeEach(() => {
  bench = new Bench();
  const write = { calls: [{ name: "write", input: { path: "new.txt", content: "new\n" } }] };
  model = bench.script([write, { text: "that was it" }]);
});
afterEach(() => bench.remove());

const wrote = (): boolean => existsSync(join(bench.workspace, "new.txt"));

// D25
describe("basis run --approve", () => {
  it("ask is the default; without a terminal it denies, says so, and goes on", async () => {
    const ended = await bench.run(["run", "write it", "--model", model]);
    expect(ended).toMatchObject({ code: 0, stdout: "that was it\n" });
    expect(ended.stderr).toMatch(/refused +write \(local_state\).*nobody can be asked here/);
    expect(wrote()).toBe(false);
  });

  it("never denies what changes something and lets reading pass", async () => {
    const calls = [
      { name: "read", input: { path: "README.md" } },
      { name: "write", input: { path: "new.txt", content: "new\n" } },
    ];
    const both = bench.script([{ calls }, { text: "done" }]);
    const ended = await bench.run(["run", "go", "--approve", "never", "--json", "--model", both]);
    const results = ended.events().flatMap((event) => (event.type === "tool_completed" ? [event.data] : []));
    expect(results.map(({ tool_name, is_error }) => [tool_name, is_error])).toEqual([
      ["read", false],
      ["write", true],
    ]);
    expect(wrote()).toBe(false);
  });

  it("always allows, and tells what the approval was bound to", async () => {
    const ended = await bench.run(["run", "write it", "--approve", "always", "--json", "--model", model]);
    const { digest } = ended.event("permission_requested").data;
    expect(digest).toMatch(/^sha256:\w{64}$/);
    expect(ended.event("permission_resolved").data).toMatchObject({ decision: "allow" });
    expect(ended.event("tool_started").data.digest).toBe(digest);
    expect(readFileSync(join(bench.workspace, "new.txt"), "utf8")).toBe("new\n");
  });

  it("park leaves the call open, ends with 4 and tells how to go on", async () => {
    const ended = await bench.run(["run", "write it", "--approve", "park", "--json", "--model", model]);
    const id = ended.event("permission_resolved").data.approval_id!;
    expect(ended.code).toBe(4);
    expect(ended.events().at(-1)).toMatchObject({ type: "run_finished", data: { status: "parked" } });
    expect(ended.stderr).toContain(`it waits for approval ${id}`);
    expect(wrote()).toBe(false);
  });

  // D12
  it("refuses a new prompt on a parked session with 4 and the approval's id", async () => {
    const parked = await bench.run(["run", "write it", "--approve", "park", "--json", "--model", model]);
    const { approval_id: id } = parked.event("permission_resolved").data;
    const { session } = parked.event("run_started");
    const ended = await bench.run(["run", "something else", "--session", session, "--model", model]);
    expect(ended).toMatchObject({ code: 4, stdout: "" });
    expect(ended.stderr).toContain(id);
  });

  it("goes on in a parked session without a prompt: the call waits on until it is answered", async () => {
    const parked = await bench.run(["run", "write it", "--approve", "park", "--json", "--model", model]);
    const { session } = parked.event("run_started");
    expect((await bench.run(["sessions", "list"])).stdout).toMatch(/parked/);
    const ended = await bench.run(["run", "--session", session, "--approve", "park", "--model", model]);
    expect(ended.code).toBe(4);
    expect(ended.stderr).toContain("it waits for approval");
    expect(wrote()).toBe(false);
  });

  it("refuses to park what is not kept", async () => {
    const ended = await bench.run(["run", "x y", "--ephemeral", "--approve", "park", "--model", model]);
    expect(ended.code).toBe(2);
  });
});
