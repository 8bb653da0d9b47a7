import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { entry } from "./support/basis-process.ts";
import { Bench } from "./support/bench.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.remove());

const canaries = { ANTHROPIC_API_KEY: "canary-1", ACME_TOKEN: "canary-2", PRIVATE: "canary-3" };
const allowed = ["--allow-run", "--approve", "always"];

// S5
describe("the host's keys", () => {
  it("reach no program of a tool or hook, and the host says what it cannot prevent", async () => {
    const seen = join(bench.base, "seen");
    const program = `import { writeFileSync } from "node:fs";
process.stdin.resume();
writeFileSync(${JSON.stringify(seen)}, JSON.stringify(process.env));
console.log(JSON.stringify({ decision: JSON.stringify(process.env).includes("canary") ? "deny" : "allow" }));`;
    bench.hook("looking", program, ["run"]);
    const model = bench.script([{ calls: [{ name: "run", input: { argv: ["env"] } }] }, { text: "done" }]);
    const argv = ["run", "go on", ...allowed, "--json", "--model", model];
    const ended = await bench.run(argv, { env: canaries });
    expect(existsSync(seen)).toBe(true);
    expect(ended.event("hook_decided").data.decision).toBe("allow");
    expect(ended.event("tool_completed").data.output).toContain("PATH=");
    expect(ended.stdout).not.toContain("canary");
    expect(ended.stderr).toContain("could read ANTHROPIC_API_KEY, ACME_TOKEN from this process");
  });

  it("are not spoken of where no program can be started", async () => {
    const argv = ["run", "go on", "--model", bench.script([{ text: "done" }])];
    expect((await bench.run(argv, { env: canaries })).stderr).not.toContain("ANTHROPIC_API_KEY");
  });
});

// S6
describe("an agent that calls the command line itself", () => {
  const inner = (...options: string[]): string[] => {
    const model = bench.write(
      join(bench.base, "inner.json"),
      '{"schema":1,"agents":{"main":{"rounds":[{"text":"inner"}]}}}',
    );
    return [process.execPath, entry, "run", "x y", "--model", `scripted:${model}`, ...options];
  };

  it.each([["--trust-workspace"], ["--allow-run"], ["--approve=always"]])(
    "cannot grant itself authority by %s",
    async (option) => {
      const call = { name: "run", input: { argv: inner(option) } };
      const model = bench.script([{ calls: [call] }, { text: "done" }]);
      const ended = await bench.run(["run", "go on", ...allowed, "--json", "--model", model]);
      const { is_error, output } = ended.event("tool_completed").data;
      expect(is_error).toBe(true);
      expect(output).toContain("it cannot grant authority");
      expect(output).toContain("status 5");
    },
  );

  it("may run what asks nobody", async () => {
    const model = bench.script([{ calls: [{ name: "run", input: { argv: inner() } }] }, { text: "done" }]);
    const ended = await bench.run(["run", "go on", ...allowed, "--json", "--model", model]);
    expect(ended.event("tool_completed").data).toMatchObject({ is_error: false, output: "inner\n" });
  });

  it("while a person may grant it", async () => {
    const [, , ...argv] = inner("--approve=always");
    expect(await bench.run(argv)).toMatchObject({ code: 0, stdout: "inner\n" });
  });
});

describe("a file of the workspace", () => {
  it("that stands where a program is looked for is not run, by whatever way PATH leads to it", async () => {
    bench.write("bin/greet", "#!/bin/sh\necho from the workspace\n", 0o755);
    const model = bench.script([{ calls: [{ name: "run", input: { argv: ["greet"] } }] }, { text: "done" }]);
    const path = `${join(bench.workspace, "bin")}:bin:${process.env["PATH"]}`;
    const argv = ["run", "go on", ...allowed, "--json", "--model", model];
    const ended = await bench.run(argv, { env: { PATH: path } });
    expect(ended.event("tool_completed").data).toMatchObject({ is_error: true });
    expect(ended.stdout).toContain("there is no program 'greet'");
  });
});
