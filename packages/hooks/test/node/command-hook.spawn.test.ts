import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HookOutcome } from "../../src/index.ts";
import type { HookSpec } from "../../src/node/index.ts";
import { sampleCall } from "../../src/testing/index.ts";
import { makeFixture, nodeHook, shellHook, type Fixture } from "./workspace-fixture.ts";

const ALLOW = `echo '{"decision":"allow"}'`;

/** Asks one hook about one call; also gives what was reported. */
async function ask(spec: HookSpec, facts: Parameters<typeof sampleCall>[0] = {}, fixture?: Fixture) {
  const place = fixture ?? (await makeFixture());
  const chain = await place.open({ specs: [spec] });
  const outcome = await chain.beforeCall(sampleCall(facts));
  return { outcome, reports: place.reports, entry: chain.trail[0]?.asked[0] };
}

const failure = (words: string): HookOutcome => ({
  decision: "deny",
  reason: `hook 'hook' could not answer and denies on failure: ${words}`,
});

describe("a hook's program", () => {
  it("reads the request as one line and answers on its standard output", async () => {
    const program = `
      const request = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
      const command = Object.keys(request).join(" ") + " " + request.input.command;
      console.log(JSON.stringify({ decision: "modify", input: { command }, reason: "why" }));`;
    const { outcome } = await ask(nodeHook(program));
    expect(outcome).toEqual({
      decision: "modify",
      input: { command: "hook_schema event workspace agent_id tool_call_id tool_name input ls" },
      reason: "hook 'hook': why",
    });
    const line = await ask(
      shellHook(`read -r line && printf '{"decision":"deny","reason":"%s"}' "\${#line}"`),
    );
    expect(line.outcome).toMatchObject({ reason: expect.stringMatching(/^denied by hook 'hook': \d+$/) });
  });

  it("is asked after the call with the output, and may replace it", async () => {
    const fixture = await makeFixture();
    const script = `grep -q '"output":"raw","is_error":true' && echo '{"decision":"replace","output":{"n":1},"is_error":false}'`;
    const chain = await fixture.open({ specs: [shellHook(script, { event: "post_tool_use" })] });
    expect(await chain.afterCall(sampleCall(), { output: "raw", isError: true })).toEqual({
      decision: "replace",
      output: { n: 1 },
      isError: false,
      reason: "hook 'hook'",
    });
  });

  it("gets its arguments as they are, without a shell", async () => {
    // H57
    const hostile = `$(touch pwned); \`id\` && echo * | cat > out "quoted" '`;
    const program = `console.log(JSON.stringify({ decision: "deny", reason: process.argv[1] }))`;
    const { outcome } = await ask({
      ...nodeHook(program),
      command: [process.execPath, "-e", program, hostile],
    });
    expect(outcome).toEqual({ decision: "deny", reason: `denied by hook 'hook': ${hostile}` });
  });

  it("is found from the workspace by a path, and on PATH by a bare name", async () => {
    // H58
    const fixture = await makeFixture();
    const script = (who: string) => `#!/bin/sh\necho '{"decision":"deny","reason":"${who}"}'\n`;
    await fixture.write("workspace/guard.sh", script("own"), 0o700);
    await fixture.write("workspace/tools/guard.sh", script("nested"), 0o700);
    await fixture.write("bin/guard", script("path"), 0o700);
    const reason = async (command: string) => {
      const env = { PATH: `${join(fixture.root, "bin")}:${process.env["PATH"]}` };
      const chain = await fixture.open({
        env,
        specs: [{ name: "hook", command: [command], timeout_ms: 10_000 }],
      });
      return chain.beforeCall(sampleCall());
    };
    expect(await reason("./guard.sh")).toMatchObject({ reason: expect.stringMatching(/own$/) });
    expect(await reason("tools/guard.sh")).toMatchObject({ reason: expect.stringMatching(/nested$/) });
    expect(await reason("guard")).toMatchObject({ reason: expect.stringMatching(/path$/) });
    expect(await reason("guard.sh")).toMatchObject({
      reason: expect.stringContaining("could not be started"),
    });
  });

  it("never comes from a workspace's directory that stands on PATH", async () => {
    // S8
    const fixture = await makeFixture();
    await fixture.write("workspace/node_modules/.bin/guard", `#!/bin/sh\n${ALLOW}\n`, 0o700);
    const spec: HookSpec = { name: "hook", command: ["guard"], timeout_ms: 10_000 };
    const bin = join(fixture.workspace, "node_modules", ".bin");
    for (const PATH of [bin, ".:node_modules/.bin:", `${bin}/../.bin`]) {
      const chain = await fixture.open({ env: { PATH }, specs: [spec] });
      expect(await chain.beforeCall(sampleCall())).toMatchObject({ decision: "deny" });
    }
    const named = await fixture.open({ specs: [{ ...spec, command: ["node_modules/.bin/guard"] }] });
    expect(await named.beforeCall(sampleCall())).toEqual({ decision: "allow" });
  });

  it("runs in the workspace", async () => {
    // H59
    const fixture = await makeFixture();
    await mkdir(join(fixture.workspace, "sub"));
    const spec = shellHook(`printf '{"decision":"deny","reason":"%s"}' "$(pwd -P)"`);
    const { outcome } = await ask(spec, {}, fixture);
    expect(outcome).toMatchObject({ reason: `denied by hook 'hook': ${fixture.workspace}` });
  });

  it("need not read: a request of 256 KiB blocks nobody", async () => {
    // H60
    const inputJson = JSON.stringify({ text: "x".repeat(256 * 1024) });
    const { outcome } = await ask(shellHook(`exec 0<&-; sleep 0.1; ${ALLOW}`), { inputJson });
    expect(outcome).toEqual({ decision: "allow" });
    const counted = await ask(shellHook(`printf '{"decision":"deny","reason":"%s"}' $(wc -c)`), {
      inputJson,
    });
    expect(counted.outcome).toMatchObject({ reason: expect.stringMatching(/: 26\d{4}$/) });
  });

  it("gets the request through a pipe where no file can be made", async () => {
    // H60
    const temporary = process.env["TMPDIR"];
    const fixture = await makeFixture();
    process.env["TMPDIR"] = join(fixture.root, "absent");
    try {
      const inputJson = JSON.stringify({ text: "x".repeat(256 * 1024) });
      expect((await ask(shellHook(ALLOW), { inputJson }, fixture)).outcome).toEqual({ decision: "allow" });
      const { outcome } = await ask(shellHook(`grep -q hook_schema && ${ALLOW}`), {}, fixture);
      expect(outcome).toEqual({ decision: "allow" });
    } finally {
      if (temporary === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = temporary;
    }
  });

  it("is not given the user's shell start-up file, as bash on a socket would be", async () => {
    const fixture = await makeFixture();
    await fixture.write("home/.bashrc", "echo sourced\n");
    const env = { PATH: process.env["PATH"], HOME: join(fixture.root, "home") };
    const spec = { name: "hook", command: ["bash", "-c", ALLOW], timeout_ms: 10_000 };
    const chain = await fixture.open({ env, specs: [spec] });
    expect(await chain.beforeCall(sampleCall())).toEqual({ decision: "allow" });
  });

  it("sees the baseline of variables and those it was granted, no secret of the host", async () => {
    // H71, S5
    const fixture = await makeFixture();
    const env = { PATH: process.env["PATH"], HOME: "/h", ANTHROPIC_API_KEY: "canary", GRANTED: "yes" };
    const program = `console.log(JSON.stringify({ decision: "deny", reason: JSON.stringify(process.env) }))`;
    const chain = await fixture.open({ env, specs: [nodeHook(program, { env: ["GRANTED", "ABSENT"] })] });
    const outcome = (await chain.beforeCall(sampleCall())) as { reason: string };
    const seen = JSON.parse(outcome.reason.replace(/^[^{]*/, "")) as Record<string, string>;
    expect(Object.keys(seen).toSorted()).toEqual(["GRANTED", "HOME", "PATH"]);
  });

  it("may find that its question is too large to be asked", async () => {
    // S39
    const fixture = await makeFixture();
    const chain = await fixture.open({ specs: [shellHook(ALLOW)], maxRequestBytes: 300 });
    const inputJson = JSON.stringify({ text: "x".repeat(250) });
    expect(await chain.beforeCall(sampleCall({ inputJson }))).toEqual(
      failure("cannot be asked: the request is larger than 300 bytes"),
    );
    expect(await chain.beforeCall(sampleCall({ inputJson: "{}" }))).toEqual({ decision: "allow" });
  });
});
