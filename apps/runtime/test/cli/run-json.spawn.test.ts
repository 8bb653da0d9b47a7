import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.remove());

describe("basis run --json", () => {
  it("prints one valid event a line, numbered without a gap, from run_started to run_finished", async () => {
    const reading = { text: "I read.", calls: [{ name: "read", input: { path: "README.md" } }] };
    const ended = await bench.run([
      "run",
      "go",
      "--json",
      "--model",
      bench.script([reading, { text: "ok" }]),
    ]);
    const events = ended.events();
    expect(ended.code).toBe(0);
    expect(events.flatMap(({ seq }) => seq ?? [])).toEqual(
      Array.from({ length: events.filter(({ seq }) => seq !== undefined).length }, (_, index) => index + 1),
    );
    expect(events[0]).toMatchObject({ type: "run_started", seq: 1, data: { workspace: bench.workspace } });
    expect(events.at(-1)).toMatchObject({ type: "run_finished", data: { status: "completed" } });
    expect(ended.event("tool_completed").data).toMatchObject({ output: "# A workspace\n", is_error: false });
    expect(ended.stderr).toBe("");
  });

  it("holds the child's events too, each naming the call that started it", async () => {
    const spawn = { calls: [{ name: "spawn", input: { input: "look around" } }] };
    const model = bench.script([spawn, { text: "ok" }], { child: { rounds: [{ text: "I looked." }] } });
    const ended = await bench.run(["run", "go", "--json", "--approve", "always", "--model", model]);
    const child = ended.events().filter(({ parent }) => parent !== undefined);
    expect(child.map(({ type }) => type)).toContain("run_finished");
    expect(new Set(child.map(({ parent }) => parent?.call_id))).toEqual(new Set(["call_0_0"]));
    expect(new Set(child.map(({ session }) => session)).size).toBe(1);
    expect(ended.event("child_previewed").data.preview).toMatchObject({ body: "look around" });
  });

  it("still ends with run_finished when the model fails", async () => {
    const model = bench.script([{ text: "I", error: { code: "overloaded", message: "too busy" } }]);
    const ended = await bench.run(["run", "go", "--json", "--model", model]);
    expect(ended.code).toBe(1);
    expect(ended.event("error").data.message).toContain("too busy");
    expect(ended.events().at(-1)).toMatchObject({ type: "run_finished", data: { status: "failed" } });
    expect(ended.stderr).toContain("too busy");
  });

  it("still ends with run_finished when no answer is accepted", async () => {
    const schema = bench.write("s.json", JSON.stringify({ type: "object", required: ["a"] }));
    const model = bench.script(Array.from({ length: 9 }, () => ({ terminal: "{}" })));
    const ended = await bench.run(["run", "go", "--json", "--output", schema, "--model", model]);
    expect(ended.code).toBe(1);
    expect(ended.event("output_rejected").data.attempt).toBe(1);
    expect(ended.events().at(-1)?.type).toBe("run_finished");
  });

  it("prints nothing on standard output when the start is refused", async () => {
    const ended = await bench.run(["run", "go", "--json", "--model", "scripted:/nowhere.json"]);
    expect(ended).toMatchObject({ code: 5, stdout: "" });
  });

  it("prints what the log then holds, but for the live deltas", async () => {
    const ended = await bench.run(["run", "go", "--json", "--model", bench.script([{ text: "ok" }])]);
    const live = ended.events();
    const logged = await bench.run(["events", live[0]!.session]);
    expect(logged.events()).toEqual(live.filter(({ seq }) => seq !== undefined));
    expect(live.filter(({ seq }) => seq === undefined).map(({ type }) => type)).toEqual(["assistant_delta"]);
  });

  it("ends without a stack trace, its work kept, when nobody reads any more", async () => {
    const ticking = ["sh", "-c", "while :; do echo tick; sleep 0.1; done"];
    const model = bench.script([{ calls: [{ name: "run", input: { argv: ticking } }] }, { text: "after" }]);
    const argv = ["--json", "--allow-run", "--approve", "always", "--model", model];
    const running = bench.start(["run", "go", ...argv]);
    await running.saw("tick");
    running.closeOutput();
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(ended.stderr).not.toMatch(/EPIPE|at .*\.js:/);
    const { session } = ended.event("run_started");
    expect((await bench.run(["run", "--session", session, "--model", model])).stdout).toBe("after\n");
  });
});
