import { readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});
afterEach(() => bench.remove());

const readEnv = [{ calls: [{ name: "read", input: { path: ".env" } }] }, { text: "that was it" }];

describe("basis init", () => {
  it("writes a first hook and AGENTS.md, and leaves alone what is there", async () => {
    bench.write("AGENTS.md", "mine\n");
    const first = await bench.run(["init"]);
    expect(first).toMatchObject({
      code: 0,
      stdout: "wrote .basis/hooks.json\nwrote .basis/hooks/keep-secrets.mjs\n",
    });
    expect(first.stderr).toContain("left alone: AGENTS.md");
    expect(readFileSync(join(bench.workspace, "AGENTS.md"), "utf8")).toBe("mine\n");
    const again = await bench.run(["init"]);
    expect(again).toMatchObject({ code: 0, stdout: "" });
  });

  it("writes a hook that denies reading .env once it is trusted", async () => {
    bench.write(".env", "KEY=1\n");
    await bench.run(["init"]);
    const argv = ["run", "read it", "--trust-workspace", "--json", "--model", bench.script(readEnv)];
    const ended = await bench.run(argv);
    expect(ended.code).toBe(0);
    expect(ended.event("hook_decided").data).toMatchObject({ decision: "deny", tool_name: "read" });
    expect(ended.event("tool_completed").data).toMatchObject({ is_error: true });
  });
});

// D29
describe("the trust in a workspace's hooks", () => {
  const model = (): string => bench.script(readEnv);
  beforeEach(async () => {
    bench.write(".env", "KEY=1\n");
    await bench.run(["init"]);
  });

  it("is asked for before anything runs: 5, naming the file, its hooks and the flag", async () => {
    const ended = await bench.run(["run", "read it", "--model", model()]);
    expect(ended).toMatchObject({ code: 5, stdout: "" });
    expect(ended.stderr).toContain(join(bench.workspace, ".basis/hooks.json"));
    expect(ended.stderr).toContain("'keep-secrets'");
    expect(ended.stderr).toContain("--trust-workspace");
  });

  it("is remembered for the same file, in a file of the user's alone", async () => {
    await bench.run(["run", "read it", "--trust-workspace", "--model", model()]);
    expect((await bench.run(["run", "read it", "--model", model()])).code).toBe(0);
    expect(statSync(join(bench.data, "trust.json")).mode & 0o077).toBe(0);
  });

  it("ends when the file changes", async () => {
    await bench.run(["run", "read it", "--trust-workspace", "--model", model()]);
    const path = join(bench.workspace, ".basis/hooks.json");
    bench.write(path, readFileSync(path, "utf8").replace('["read"]', '["write"]'));
    const ended = await bench.run(["run", "read it", "--model", model()]);
    expect(ended).toMatchObject({ code: 5, stdout: "" });
    expect(ended.stderr).toContain("has changed since");
  });

  // S3, S8
  it("ends when a script changes that the file names, and begins anew by saying so", async () => {
    const trusting = ["run", "read it", "--trust-workspace", "--model", model()];
    await bench.run(trusting);
    const path = join(bench.workspace, ".basis/hooks/keep-secrets.mjs");
    bench.write(path, `${readFileSync(path, "utf8")}// changed\n`);
    const ended = await bench.run(["run", "read it", "--model", model()]);
    expect(ended).toMatchObject({ code: 5, stdout: "" });
    expect(ended.stderr).toContain(".basis/hooks/keep-secrets.mjs changed");
    expect(ended.stderr).toContain("--trust-workspace");
    const inspected = await bench.run(["inspect"]);
    expect(inspected).toMatchObject({ code: 5, stdout: "" });
    expect((await bench.run(trusting)).code).toBe(0);
    expect((await bench.run(["run", "read it", "--model", model()])).code).toBe(0);
  });

  it("ends when the file is gone, unless it is trusted that there is none", async () => {
    await bench.run(["run", "read it", "--trust-workspace", "--model", model()]);
    rmSync(join(bench.workspace, ".basis"), { recursive: true });
    const ended = await bench.run(["run", "read it", "--model", model()]);
    expect(ended.code).toBe(5);
    expect(ended.stderr).toContain("hook 'keep-secrets': it was trusted and is gone");
    await bench.run(["run", "read it", "--trust-workspace", "--model", model()]);
    expect((await bench.run(["run", "read it", "--model", model()])).code).toBe(0);
  });

  it.each([[[]], [["--ephemeral"]]])("in code of no file needs a yes of its own (%j)", async (more) => {
    const hooks = [{ name: "inline", command: ["sh", "-c", `echo '{"decision":"allow"}'`] }];
    bench.write(".basis/hooks.json", JSON.stringify({ schema: 1, hooks }));
    const argv = ["run", "read it", "--trust-workspace", "--model", model(), ...more];
    const ended = await bench.run(argv);
    expect(ended).toMatchObject({ code: 5, stdout: "" });
    expect(ended.stderr).toContain("hook 'inline': 'sh -c'");
    expect(ended.stderr).toContain("--trust-unpinned");
    expect((await bench.run([...argv, "--trust-unpinned"])).code).toBe(0);
  });

  it("of an ephemeral run is not remembered", async () => {
    const argv = ["run", "read it", "--trust-workspace", "--ephemeral", "--model", model()];
    expect((await bench.run(argv)).code).toBe(0);
    expect((await bench.run(["run", "read it", "--model", model()])).code).toBe(5);
  });

  it("is not needed for the operator's own hooks", async () => {
    bench.write(".basis/hooks.json", '{"schema":1,"hooks":[]}');
    const deny =
      'process.stdin.resume(); console.log(JSON.stringify({ decision: "deny", reason: "not here" }))';
    bench.hook("not-here", deny, ["read"]);
    const ended = await bench.run(["run", "read it", "--json", "--model", model()]);
    expect(ended.event("hook_decided").data).toMatchObject({ decision: "deny" });
  });
});

describe("basis inspect", () => {
  it("shows workspace, model, directories, context files, guards and tools as JSON", async () => {
    bench.write("AGENTS.md", "# For agents\n");
    await bench.run(["init"]);
    await bench.run(["run", "x y", "--trust-workspace", "--model", bench.script([{ text: "ok" }])]);
    const ended = await bench.run(["inspect", "--json"], { env: { BASIS_MODEL: "openai/gpt-5" } });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(ended.stdout)).toMatchObject({
      workspace: realpathSync(bench.workspace),
      model: { name: "openai/gpt-5", from: "BASIS_MODEL" },
      data_directory: bench.data,
      config_directory: bench.config,
      context_files: [
        { path: join(bench.workspace, "AGENTS.md"), digest: expect.stringMatching(/^sha256:/) },
      ],
      guards: [{ who: "hook 'keep-secrets'", rank: "workspace", events: ["pre_tool_use"] }],
      notes: [],
      tools: expect.arrayContaining([expect.objectContaining({ name: "write", level: "local_state" })]),
    });
  });

  it("names hooks that are not trusted and does not run or trust them", async () => {
    await bench.run(["init"]);
    const preToolUse = [{ command: "true" }];
    bench.write(".cursor/hooks.json", JSON.stringify({ version: 1, hooks: { preToolUse } }));
    const ended = await bench.run(["inspect"]);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/note +.*hooks\.json is not trusted.*'keep-secrets'/);
    expect(ended.stdout).toMatch(
      /note +\.cursor\/hooks\.json has hooks for another tool, which are not asked/,
    );
    expect((await bench.run(["run", "x y", "--model", bench.script(readEnv)])).code).toBe(5);
  });

  it("takes the model from the key that is set, and never shows the key", async () => {
    const { stdout } = await bench.run(["inspect"], { env: { ANTHROPIC_API_KEY: "sk-secret-1" } });
    expect(stdout).toMatch(/model +anthropic\//);
    expect(stdout).not.toContain("sk-secret-1");
  });

  it("refuses an invalid hooks.json with 5, naming file and line", async () => {
    bench.write(".basis/hooks.json", '{\n "schema": 1,\n "hooks": [{"name": "x"}]\n}');
    const ended = await bench.run(["inspect"]);
    expect(ended).toMatchObject({ code: 5, stdout: "" });
    expect(ended.stderr).toContain(".basis/hooks.json:3:");
  });
});
