import { describe, expect, it } from "vitest";
import type { HookOutcome } from "../../src/index.ts";
import type { HookSpec } from "../../src/node/index.ts";
import { sampleCall } from "../../src/testing/index.ts";
import { makeFixture, nodeHook, shellHook } from "./workspace-fixture.ts";

const ALLOW = `echo '{"decision":"allow"}'`;

async function ask(spec: HookSpec) {
  const fixture = await makeFixture();
  const chain = await fixture.open({ specs: [spec] });
  const outcome = await chain.beforeCall(sampleCall());
  return { outcome, reports: fixture.reports, failure: chain.trail[0]?.asked[0]?.failure };
}

const denial = (words: string): HookOutcome => ({
  decision: "deny",
  reason: `hook 'hook' could not answer and denies on failure: ${words}`,
});

describe("a hook fails", () => {
  it("when it exits with a code, even after a valid allow; what it said stays out of the denial", async () => {
    // H63, S40
    const { outcome, reports, failure } = await ask(shellHook(`${ALLOW}; echo "key=abc" >&2; exit 3`));
    expect(outcome).toEqual(denial("exited with code 3"));
    expect(reports).toEqual(["hook 'hook' exited with code 3 and said: key=abc"]);
    expect(failure).toEqual({
      code: "exited",
      message: "exited with code 3",
      detail: "exited with code 3 and said: key=abc",
    });
    expect((await ask(shellHook(`${ALLOW}; echo note >&2`))).outcome).toEqual({ decision: "allow" });
  });

  it("when a signal ends it", async () => {
    // H64
    const { outcome } = await ask(shellHook(`${ALLOW}; kill -9 $$`));
    expect(outcome).toEqual(denial("exited with a signal"));
  });

  it.each(["exit 0", "printf '  \\n\\n'", `${ALLOW} >&2`])("when it prints nothing: %s", async (script) => {
    // H65
    expect((await ask(shellHook(script))).outcome).toEqual(denial("printed nothing; silence is not consent"));
  });

  it("when there is no such program, or it may not be executed, or is no program", async () => {
    // H66
    const { outcome, reports } = await ask(shellHook("", { command: ["./absent", "x"] }));
    expect(outcome).toEqual(denial("could not be started: there is no such program"));
    expect(reports).toEqual(["hook 'hook' could not be started: there is no such program: ./absent"]);
    const fixture = await makeFixture();
    await fixture.write("workspace/plain", ALLOW, 0o600);
    await fixture.write("workspace/odd", "#!/no/such/interpreter\n", 0o700);
    for (const command of ["./plain", "./odd", "."]) {
      const chain = await fixture.open({ specs: [{ name: "hook", command: [command], timeout_ms: 10_000 }] });
      const found = (await chain.beforeCall(sampleCall())) as { reason: string };
      expect(found.reason).toContain("could not be started");
      expect(found.reason).not.toContain(fixture.root);
    }
  });

  it("when it prints something that is no decision, quoted for people only and cut between characters", async () => {
    // H67
    const short = await ask(shellHook("echo 'all good'"));
    expect(short.outcome).toMatchObject({
      reason: expect.stringContaining("printed something that is not a decision ("),
    });
    expect(JSON.stringify(short.outcome)).not.toContain("all good");
    expect(short.reports[0]).toContain("): all good");
    const long = await ask(nodeHook(`process.stdout.write("xé".repeat(1000))`));
    const quote = long.failure?.detail.slice(long.failure.detail.indexOf("): ") + 3);
    expect(quote).toMatch(/^(xé)+x?… \(3000 bytes in all\)$/);
    expect(Buffer.byteLength(quote?.split("…")[0] ?? "")).toBeLessThanOrEqual(512);
    const unknown = await ask(shellHook(`echo '{"decision":"key=abc"}'`));
    expect(JSON.stringify(unknown.outcome)).not.toContain("key=abc");
  });

  it("with the last 2,048 bytes of its error output, cut between characters", async () => {
    // H67
    const program = `process.stderr.write("start" + "é".repeat(5000) + "end"); process.exitCode = 1`;
    const { failure } = await ask(nodeHook(program));
    const said = failure?.detail.replace("exited with code 1 and said: ", "") ?? "";
    expect(said).toMatch(/^é+end$/);
    expect(Buffer.byteLength(said)).toBeGreaterThan(2000);
    expect(Buffer.byteLength(said)).toBeLessThanOrEqual(2048);
  });

  it("when it prints more than an answer may have, and holds no more memory than that", async () => {
    // H68
    const endless = shellHook("exec yes 0123456789012345678901234567890123456789", { timeout_ms: 20_000 });
    global.gc?.();
    const before = process.memoryUsage().rss;
    const { outcome } = await ask(endless);
    expect(outcome).toEqual(denial("printed more than the 8388608 bytes an answer may have"));
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    const exactly = (bytes: number) =>
      nodeHook(`process.stdout.write('{"decision":"allow"}'.padEnd(${bytes}))`, { timeout_ms: 20_000 });
    expect((await ask(exactly(8_388_608))).outcome).toEqual({ decision: "allow" });
    const over = denial("printed more than the 8388608 bytes an answer may have");
    expect((await ask(exactly(8_388_609))).outcome).toEqual(over);
  });

  it("when its output is not UTF-8, without taking the host down", async () => {
    // H69
    const { outcome, reports } = await ask(shellHook(`printf '\\377\\376{"decision":"allow"}'`));
    expect(outcome).toMatchObject({ reason: expect.stringContaining("not a decision") });
    expect(reports[0]).toContain("\uFFFD");
    const inside = await ask(shellHook(`printf '{"decision":"deny","reason":"\\377"}'`));
    expect(inside.outcome).toEqual({ decision: "deny", reason: "denied by hook 'hook': \uFFFD" });
    const changed = `printf '{"decision":"modify","input":{"path":"a\\377"}}'`;
    const refused = denial("printed something that is not a decision (it is not UTF-8 text)");
    expect((await ask(shellHook(changed))).outcome).toEqual(refused);
    const proper = await ask(shellHook(changed.replace("\\377", "\\303\\251")));
    expect(proper.outcome).toMatchObject({ decision: "modify", input: { path: "a\u00e9" } });
  });

  it("when it takes back what it had printed, and a denial still denies", async () => {
    const deny = `echo '{"decision":"deny","reason":"no"}'`;
    const truncating = `node -e 'require("fs").ftruncateSync(1)' 2>/dev/null`;
    // Started directly it has a socket there, which cannot be opened anew: the shell ends with an error.
    for (const script of [`${deny}; ${ALLOW} > /dev/stdout`, `${deny}; ${truncating}; ${ALLOW}`])
      expect((await ask(shellHook(script))).outcome.decision).toBe("deny");
    expect((await ask(shellHook(`${ALLOW}; ${deny} > /dev/stdout`))).outcome.decision).toBe("deny");
    expect((await ask(shellHook(`${ALLOW} >&1`))).outcome).toEqual({ decision: "allow" });
  });

  it.each(["timed out", "exited", "printed"])("open when it says so and %s", async (how) => {
    const script = { "timed out": "sleep 20", exited: "exit 1", printed: "echo no" }[how] ?? "";
    const timeout_ms = how === "timed out" ? 300 : 10_000;
    const { outcome, reports } = await ask(shellHook(script, { on_failure: "allow", timeout_ms }));
    expect(outcome).toEqual({ decision: "allow" });
    expect(reports).toHaveLength(1);
  });
});
