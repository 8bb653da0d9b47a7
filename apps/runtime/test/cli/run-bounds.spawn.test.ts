import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.remove());

const read = { calls: [{ name: "read", input: { path: "README.md" } }] };

describe("a bound of basis run", () => {
  it("deadline ends the turn with 3, keeps its work and leaves a session that goes on", async () => {
    const slow = { text: "I wait.", calls: [{ name: "run", input: { argv: ["sleep", "30"] } }] };
    const model = bench.script([slow, { text: "after it" }]);
    const argv = ["--allow-run", "--approve", "always", "--json", "--model", model];
    const ended = await bench.run(["run", "wait", "--deadline", "2s", ...argv]);
    expect(ended.code).toBe(3);
    expect(ended.events().at(-1)?.data).toMatchObject({ status: "stopped", stopped_by: "deadline" });
    const { session } = ended.event("run_started");
    const next = await bench.run(["run", "--session", session, "--model", model]);
    expect(next).toMatchObject({ code: 0, stdout: "after it\n" });
  });

  it("token budget ends the turn with 3", async () => {
    const model = bench.script([{ ...read, usage: { inputTokens: 60, outputTokens: 50 } }, { text: "more" }]);
    const ended = await bench.run(["run", "go on", "--token-budget", "100", "--model", model]);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain("stopped by the token budget");
  });

  it("tool budget refuses further calls, which the model is told", async () => {
    const model = bench.script([read, read, { text: "enough" }]);
    const ended = await bench.run(["run", "go on", "--tool-budget", "1", "--json", "--model", model]);
    const results = ended.events().flatMap((event) => (event.type === "tool_completed" ? [event.data] : []));
    expect(results.map(({ is_error }) => is_error)).toEqual([false, true]);
    expect(results[1]!.output).toContain("tool budget");
  });

  it("that is not reached changes nothing", async () => {
    const argv = ["--deadline", "1h", "--token-budget", "1000", "--tool-budget", "5"];
    const ended = await bench.run(["run", "go on", ...argv, "--model", bench.script([read, { text: "ok" }])]);
    expect(ended).toMatchObject({ code: 0, stdout: "ok\n" });
  });
});
