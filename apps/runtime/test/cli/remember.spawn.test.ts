import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";
import { Terminal } from "./support/terminal.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.remove());

const ask = "anything else refuses: ";
const keep = "Type yes to keep it and allow the call: ";
const write = { calls: [{ name: "write", input: { path: "new.txt", content: "new\n" } }] };
const twice = (): string => bench.script([write, write, { text: "that was it" }]);

// C43, S12
describe("at a terminal, an approval", () => {
  it("for the session shows the narrowest rule and what else it allows; then the call is not asked about again", async () => {
    const terminal = new Terminal(bench, ["run", "go on", "--model", twice()], { NO_COLOR: "1" });
    await terminal.saw(ask);
    terminal.type("session\r");
    await terminal.saw(keep);
    expect(terminal.output).toContain("also allows this same call again");
    terminal.type("yes\r");
    expect(await terminal.ended).toBe(0);
    expect(terminal.output.split(ask)).toHaveLength(2);
    expect((await bench.run(["rules", "list"])).stdout).toMatch(/session +allow write/);
  });

  it("is refused when the rule is not wanted, and nothing is kept", async () => {
    const model = bench.script([write, { text: "that was it" }]);
    const terminal = new Terminal(bench, ["run", "go on", "--model", model]);
    await terminal.saw(ask);
    terminal.type("session\r");
    await terminal.saw(keep);
    terminal.type("no\r");
    expect(await terminal.ended).toBe(0);
    expect((await bench.run(["rules", "list"])).stdout).toContain("no rules");
  });

  it("shows which commands a rule for one would allow and which not", async () => {
    const run = { calls: [{ name: "spawn", input: { input: "!echo a" } }] };
    const argv = ["run", "go on", "--allow-run", "--model", bench.script([run, { text: "." }])];
    const terminal = new Terminal(bench, argv, { NO_COLOR: "1" });
    await terminal.saw("anything else to refuse: ");
    terminal.type("session\r");
    await terminal.saw(keep);
    expect(terminal.output).toMatch(/it would still ask about:[^]*echo a && other-program/);
    terminal.type("no\r");
    expect(await terminal.ended).toBe(0);
  });

  it("refused for the session is not asked about again, and the agent is told so", async () => {
    const terminal = new Terminal(bench, ["run", "go on", "--model", twice()], { NO_COLOR: "1" });
    await terminal.saw(ask);
    terminal.type("never\r");
    expect(await terminal.ended).toBe(0);
    expect(terminal.output.split(ask)).toHaveLength(2);
    expect((await bench.run(["rules", "list"])).stdout).toMatch(/session +deny write/);
  });
});
