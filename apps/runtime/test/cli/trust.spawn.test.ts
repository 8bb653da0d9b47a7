import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";
import { Terminal } from "./support/terminal.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
  bench.write("guard.mjs", `process.stdin.resume(); console.log('{"decision":"allow"}');`);
  const hooks = [{ name: "guard", command: ["node", "guard.mjs"] }];
  bench.write(".basis/hooks.json", JSON.stringify({ schema: 1, hooks }));
  bench.write(".basis/agents/triage.md", "---\nname: triage\n---\n");
});
afterEach(() => bench.remove());

const status = async (): Promise<{ code: number | null; report: Record<string, unknown> }> => {
  const { code, stdout } = await bench.run(["trust", "--status", "--json"]);
  return { code, report: JSON.parse(stdout) as Record<string, unknown> };
};
const run = () => bench.run(["run", "x y", "--model", bench.script([{ text: "done" }])]);

// S3, S4, S6
describe("basis trust", () => {
  it("shows everything that asks for trust, and grants nothing by that", async () => {
    expect(await status()).toMatchObject({
      code: 1,
      report: {
        state: "untrusted",
        things: [
          { what: "hook 'guard'", state: "untrusted" },
          { what: "agent 'triage'", state: "untrusted" },
        ],
      },
    });
    expect((await run()).code).toBe(5);
  });

  it("--yes trusts it as it stands, and what changes afterwards refuses and is named", async () => {
    expect((await bench.run(["trust", "--yes"])).code).toBe(0);
    expect(await status()).toMatchObject({ code: 0, report: { state: "trusted" } });
    expect((await run()).code).toBe(0);
    bench.write("guard.mjs", "// nothing\n");
    expect(await status()).toMatchObject({
      code: 1,
      report: { state: "modified", things: [{ state: "modified" }, { state: "trusted" }] },
    });
    expect((await run()).code).toBe(5);
  });

  it("list, add and rm say the same as the options", async () => {
    expect(await bench.run(["trust", "list"])).toMatchObject({ code: 1 });
    expect((await bench.run(["trust", "add", "--yes"])).code).toBe(0);
    const { stdout: told } = await bench.run(["trust", "list", "--json"]);
    expect(Object.keys(JSON.parse(told) as object)).toEqual(["workspace", "state", "digest", "things"]);
    expect(told).toContain('"state": "trusted"');
    expect((await bench.run(["trust", "rm", "--yes"])).code).toBe(0);
    expect((await status()).report).toMatchObject({ state: "untrusted" });
    expect(await bench.run(["trust", "drop"])).toMatchObject(refused(2, "list, add or rm, not 'drop'"));
    expect(await bench.run(["trust", "add", "--revoke"])).toMatchObject(refused(2, "leave out --revoke"));
  });

  it("--digest trusts what was reviewed and nothing else", async () => {
    const { digest } = (await status()).report as { digest: string };
    bench.write(".basis/agents/more.md", "---\nname: more\n---\n");
    expect(await bench.run(["trust", "--yes", "--digest", digest])).toMatchObject(
      refused(1, "not the one that was reviewed"),
    );
    const { digest: now } = (await status()).report as { digest: string };
    expect((await bench.run(["trust", "--yes", "--digest", now])).code).toBe(0);
  });

  it("--revoke forgets it", async () => {
    await bench.run(["trust", "--yes"]);
    expect((await bench.run(["trust", "--revoke", "--yes"])).code).toBe(0);
    expect(await status()).toMatchObject({ code: 1, report: { state: "untrusted" } });
    expect((await bench.run(["trust", "--revoke", "--yes"])).stderr).toContain("it was not trusted");
  });

  it("does not take code that is in no file without --unpinned", async () => {
    const hooks = [{ name: "guard", command: ["sh", "-c", "true"] }];
    bench.write(".basis/hooks.json", JSON.stringify({ schema: 1, hooks }));
    const { stderr } = await bench.run(["trust", "--yes"]);
    expect(stderr).toContain("cannot be pinned");
    expect(stderr).toMatch(/^basis: name a script in a file there, or add --unpinned$/m);
    expect(stderr).not.toContain("correct hooks.json");
    expect((await bench.run(["trust", "--yes", "--unpinned"])).code).toBe(0);
  });

  it.each([
    ["yes\r", 0, "trusted"],
    ["y\r", 1, "untrusted"],
  ])("at a terminal takes the whole word: %j", async (keys, code, state) => {
    const terminal = new Terminal(bench, ["trust"], { NO_COLOR: "1" });
    await terminal.saw("Trust this? Type yes");
    expect(terminal.output).toContain("hook 'guard'");
    terminal.type(keys);
    expect(await terminal.ended).toBe(code);
    expect((await status()).report).toMatchObject({ state });
  });

  it("without a terminal needs --yes", async () => {
    expect(await bench.run(["trust"])).toMatchObject(refused(5, "nobody can be asked here"));
  });

  it.each([[["--yes"]], [["--revoke", "--yes"]]])("is refused to agents: %j", async (more) => {
    const env = { BASIS_LINEAGE: "1" };
    expect(await bench.run(["trust", ...more], { env })).toMatchObject(
      refused(5, "it cannot grant authority"),
    );
    expect((await bench.run(["trust", "--status"], { env })).stdout).toContain("untrusted");
  });

  it("has nothing to say of a folder that asks for nothing", async () => {
    const cwd = join(bench.base, "home");
    expect(await bench.run(["trust", "--status"], { cwd })).toMatchObject({ code: 0 });
  });
});
