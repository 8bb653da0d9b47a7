import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pidsIn, until } from "../crash/support/processes.ts";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.remove());

const calling = ["--allow-run", "--approve", "always"];

describe("two processes on one store", () => {
  it("never write one session at once: the second is refused with 5 and told who has it", async () => {
    const pids = join(bench.base, "pids");
    const waiting = ["sh", "-c", `echo $$ > ${pids}; sleep 30`];
    const model = bench.script([
      { text: "one" },
      { calls: [{ name: "run", input: { argv: waiting } }] },
      { text: "after it" },
    ]);
    const first = await bench.run(["run", "go on", "--json", "--model", model]);
    const { session } = first.event("run_started");
    const running = bench.start(["run", "go on", "--session", session, ...calling, "--model", model]);
    await until("the program is running", () => pidsIn(pids).length > 0);
    expect((await bench.run(["sessions", "list"])).stdout).toContain("running");
    const second = await bench.run(["run", "me too", "--session", session, "--model", model]);
    expect(second).toMatchObject(refused(5, `:${running.pid}`, "which runs a turn in it"));
    running.kill("SIGINT");
    expect((await running.ended).code).toBe(130);
    const third = await bench.run(["run", "--session", session, "--model", model]);
    expect(third).toMatchObject({ code: 0, stdout: "after it\n" });
  });

  it("write sessions of their own side by side", async () => {
    const model = bench.script([{ text: "ok" }]);
    const ended = await Promise.all(
      ["1", "2", "3", "4"].map((text) => bench.run(["run", `go on ${text}`, "--model", model])),
    );
    expect(ended.map(({ code, stdout }) => [code, stdout])).toEqual(ended.map(() => [0, "ok\n"]));
    expect((await bench.run(["sessions", "list"])).stdout.match(/ ready /g)).toHaveLength(4);
  });
});

describe("a typed run", () => {
  it("parks with 4 and refuses another prompt with 4", async () => {
    const schema = bench.write("s.json", '{"type":"object"}');
    const write = { name: "write", input: { path: "new.txt", content: "" } };
    const model = bench.script([{ calls: [write] }, { terminal: "{}" }]);
    const argv = ["--output", schema, "--with-tools", "--approve", "park", "--model", model];
    const parked = await bench.run(["run", "go on", ...argv, "--json"]);
    expect(parked.code).toBe(4);
    const { session } = parked.event("run_started");
    const again = await bench.run(["run", "and this", ...argv, "--session", session]);
    expect(again).toMatchObject(refused(4, "waits for approval"));
  });
});
