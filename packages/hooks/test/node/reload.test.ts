import { unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HookAnswer, Interceptor } from "../../src/index.ts";
import { sampleCall } from "../../src/testing/index.ts";
import { makeTrustFixture } from "../trust/trust-fixture.ts";
import { makeFixture } from "./workspace-fixture.ts";

const hook = (name: string, facts: object = {}) => ({ name, command: ["true"], tools: [], ...facts });

const namesOf = (hooks: { participants: readonly { name: string }[] }) =>
  hooks.participants.map(({ name }) => name);

describe("a reload", () => {
  it("takes over a plan as a whole", async () => {
    const fixture = await makeFixture();
    await fixture.globalHooks(hook("a"));
    const hooks = await fixture.open({
      interceptors: [{ name: "i", intercept: () => ({ decision: "allow" }) }],
    });
    await fixture.globalHooks(hook("new"), hook("a"), hook("b"));
    expect(await hooks.reload()).toEqual({ swapped: true });
    expect(namesOf(hooks)).toEqual(["i", "new", "a", "b"]);
    expect(await hooks.reload()).toEqual({ swapped: true });
    expect(fixture.reports).toEqual([]);
  });

  it.each([
    ["no JSON", "{"],
    ["a later schema", '{"schema":2,"hooks":[]}'],
    ["an unknown key", '{"schema":1,"hooks":[{"name":"a","command":["true"],"toools":[]}]}'],
  ])("of a bad file keeps the last good one and reports it: %s", async (_name, text) => {
    const fixture = await makeFixture();
    const path = await fixture.globalHooks(hook("a"));
    const hooks = await fixture.open();
    await writeFile(path, text);
    expect(await hooks.reload()).toMatchObject({ swapped: false, error: { name: "HookError" } });
    expect(fixture.reports).toEqual([expect.stringContaining(`those in force stay: ${path}`)]);
    expect(namesOf(hooks)).toEqual(["a"]);
    await fixture.globalHooks(hook("a"), hook("b"));
    expect(await hooks.reload()).toEqual({ swapped: true });
    expect(namesOf(hooks)).toEqual(["a", "b"]);
  });

  // S2
  it.each<readonly [string, readonly object[], readonly string[]]>([
    ["removes", [hook("b")], ["a"]],
    ["narrows", [hook("a", { tools: ["x"] }), hook("b")], ["a"]],
    ["narrows by effect", [hook("a", { effect: ["write"] }), hook("b")], ["a"]],
    ["narrows by input", [hook("a", { input: { "/x": "y" } }), hook("b")], ["a"]],
    ["loosens", [hook("a"), hook("b", { on_failure: "allow" })], ["b"]],
    ["shadows", [hook("a", { shadow: true }), hook("b")], ["a"]],
    ["reorders", [hook("b"), hook("a")], ["b"]],
    ["empties", [], ["a", "b"]],
  ])("that %s a hook is refused, whoever's it is", async (_name, after, names) => {
    for (const whose of ["globalHooks", "ownHooks"] as const) {
      const fixture = await makeFixture();
      await fixture[whose](hook("a"), hook("b"));
      const hooks = await fixture.open({ trust: "run" });
      await fixture[whose](...after);
      expect(await hooks.reload()).toMatchObject({
        swapped: false,
        error: { code: "reload_refused", details: { names } },
      });
      expect(namesOf(hooks)).toEqual(["a", "b"]);
      expect(fixture.reports.at(-1)).toContain("may not remove, change or reorder");
    }
  });

  it("does not come between the calls of who holds the hooks", async () => {
    const fixture = await makeFixture();
    const asked: string[] = [];
    const interceptors: readonly Interceptor[] = [
      { name: "i", intercept: ({ toolName }) => (asked.push(toolName), { decision: "allow" }) },
    ];
    await fixture.globalHooks(hook("a"));
    const hooks = await fixture.open({ interceptors });
    const { chain, release } = hooks.hold();
    await fixture.globalHooks(hook("a"), hook("b"));
    expect(await hooks.reload()).toEqual({ swapped: true });
    expect(chain.participants.map(({ name }) => name)).toEqual(["i", "a"]);
    expect(namesOf(hooks)).toEqual(["i", "a", "b"]);
    await chain.beforeCall(sampleCall({ toolName: "held" }));
    release();
    release();
    await hooks.beforeCall(sampleCall({ toolName: "next" }));
    expect(asked).toEqual(["held", "next"]);
    expect(hooks.trail.map(({ toolName }) => toolName)).toEqual(["held", "next"]);
    await expect((async () => chain.beforeCall(sampleCall()))()).resolves.toMatchObject({ decision: "deny" });
  });

  it("of a file that is gone is refused", async () => {
    const fixture = await makeFixture();
    const path = await fixture.globalHooks(hook("a"));
    const hooks = await fixture.open();
    await unlink(path);
    expect(await hooks.reload()).toMatchObject({ swapped: false, error: { code: "reload_refused" } });
  });

  it("takes over what was trusted anew, even if it is less, and nothing before", async () => {
    const fixture = await makeTrustFixture();
    await fixture.ownHooks(hook("a"), hook("b"));
    await fixture.trust();
    const hooks = await fixture.open();
    await fixture.ownHooks(hook("b"));
    expect(await hooks.reload()).toMatchObject({ swapped: false, error: { code: "modified_workspace" } });
    expect(namesOf(hooks)).toEqual(["a", "b"]);
    await fixture.trust();
    expect(await hooks.reload()).toEqual({ swapped: true });
    expect(namesOf(hooks)).toEqual(["b"]);
  });

  it("does not lose hooks whose trust was revoked", async () => {
    const fixture = await makeTrustFixture();
    await fixture.ownHooks(hook("a"));
    await fixture.trust();
    const hooks = await fixture.open({ trust: "skip" });
    await unlink(fixture.trustFile);
    expect(await hooks.reload()).toMatchObject({ swapped: false, error: { code: "reload_refused" } });
    expect(namesOf(hooks)).toEqual(["a"]);
  });

  it("leaves calls under way with those they began with, and keeps their records in the trail", async () => {
    const fixture = await makeFixture();
    const answers: ((answer: HookAnswer) => void)[] = [];
    const slow: Interceptor = {
      name: "slow",
      intercept: () => new Promise((resolve) => answers.push(resolve)),
    };
    const hooks = await fixture.open({ interceptors: [slow] });
    const before = hooks.beforeCall(sampleCall({ toolCallId: "1" }));
    await fixture.globalHooks({ name: "g", command: ["false"] });
    expect(await hooks.reload()).toEqual({ swapped: true });
    const after = hooks.beforeCall(sampleCall({ toolCallId: "2" }));
    for (const answer of answers) answer({ decision: "allow" });
    expect(await before).toEqual({ decision: "allow" });
    expect(await after).toMatchObject({ decision: "deny", reason: expect.stringContaining("hook 'g'") });
    expect(hooks.trail.map(({ toolCallId }) => toolCallId)).toEqual(["1", "2"]);
  });

  it("changes nothing on a closed chain, and a close cuts off calls of every plan", async () => {
    const fixture = await makeFixture();
    const never: Interceptor = { name: "never", intercept: () => new Promise(() => undefined) };
    const hooks = await fixture.open({ interceptors: [never] });
    const first = hooks.beforeCall(sampleCall());
    expect(await hooks.reload()).toEqual({ swapped: true });
    const second = hooks.beforeCall(sampleCall());
    await hooks.close();
    expect(await first).toMatchObject({ decision: "deny" });
    expect(await second).toMatchObject({ decision: "deny" });
    expect(await hooks.reload()).toEqual({ swapped: false });
    expect(await hooks.beforeCall(sampleCall())).toMatchObject({ decision: "deny" });
  });

  it("is aborted by its signal, and a reporter that throws changes nothing", async () => {
    const fixture = await makeFixture();
    const report = (): never => {
      throw new Error("broken");
    };
    const hooks = await fixture.open({ report });
    const outcome = await hooks.reload({ signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ swapped: false, error: { name: "AbortError" } });
    await fixture.write("config/hooks.json", "{");
    const both = await Promise.all([hooks.reload(), hooks.reload()]);
    expect(both).toMatchObject([{ swapped: false }, { swapped: false }]);
    expect(join(fixture.root, "config")).toBe(fixture.globalDir);
  });
});
