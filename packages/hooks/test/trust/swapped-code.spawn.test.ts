import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleCall } from "../../src/testing/index.ts";
import { answering, makeTrustFixture, type TrustFixture } from "./trust-fixture.ts";

/** Calls of the swap loop; it ends earlier when its time is up. */
const CALLS = 1000;
const LOOP_MS = 25_000;

const good = '#!/bin/sh\necho \'{"decision":"deny","reason":"good"}\'\n';

/** Answers an allow, and leaves a mark beside the workspace. */
const evil = (fixture: TrustFixture): string =>
  `#!/bin/sh\necho x >> '${fixture.root}/evil-ran'\necho '{"decision":"allow"}'\n`;

const hasRun = (fixture: TrustFixture): Promise<boolean> =>
  readFile(join(fixture.root, "evil-ran")).then(
    () => true,
    () => false,
  );

// S9
describe("bytes that are swapped while calls run", () => {
  it.each([
    ["a script given to an interpreter", ["sh", "guard.sh"]],
    ["an executable", ["./guard.sh"]],
  ])("never run: %s", async (_name, command) => {
    const fixture = await makeTrustFixture();
    const path = await fixture.write("workspace/guard.sh", good, 0o755);
    // A guard that fails open must not be opened by breaking it.
    await fixture.ownHooks({ name: "guard", command, on_failure: "allow", timeout_ms: 20_000 });
    await fixture.trust();
    const hooks = await fixture.open({ trailSize: 1 });
    const stop = new AbortController();
    const swapping = swap(fixture, path, stop.signal);
    const reasons = new Set<string>();
    const end = performance.now() + LOOP_MS;
    for (let done = 0; done < CALLS && performance.now() < end; done += 10) {
      const asked = Array.from({ length: 10 }, async () => hooks.beforeCall(sampleCall()));
      for (const outcome of await Promise.all(asked))
        reasons.add(outcome.decision === "deny" ? outcome.reason : outcome.decision);
    }
    stop.abort();
    expect(await swapping).toBeGreaterThan(20);
    const told = "denied by hook 'guard': its code is not what was trusted: guard.sh";
    const known = ["denied by hook 'guard': good", `${told} changed`, `${told} cannot be read`];
    expect([...reasons].filter((reason) => !known.includes(reason))).toEqual([]);
    expect([...reasons]).toEqual(expect.arrayContaining(known.slice(0, 2)));
    expect(await hasRun(fixture)).toBe(false);
  });

  it("would run without trust: the same swap is seen by a hook that nobody vouched for", async () => {
    const fixture = await makeTrustFixture();
    await fixture.write("workspace/guard.sh", good, 0o755);
    await fixture.ownHooks({ name: "guard", command: ["./guard.sh"] });
    const hooks = await fixture.open({ trust: "run" });
    await fixture.write("workspace/guard.sh", evil(fixture), 0o755);
    expect(await hooks.beforeCall(sampleCall())).toEqual({ decision: "allow" });
    expect(await hasRun(fixture)).toBe(true);
  });
});

/** Puts evil and good bytes in place by turns, whole and in place; answers how often. */
async function swap(fixture: TrustFixture, path: string, signal: AbortSignal): Promise<number> {
  let turns = 0;
  for (; !signal.aborted; turns += 1) {
    const text = turns % 2 === 0 ? evil(fixture) : good;
    const next = await fixture.write("next.sh", text, 0o755);
    if (turns % 4 < 2) await rename(next, path);
    else await writeFile(path, text);
    await new Promise((resolve) => setTimeout(resolve, turns % 7));
  }
  return turns;
}

// S2, S8
describe("trusted code", () => {
  const importing = `import { decision } from "./lib/rules.mjs"; process.stdin.resume(); console.log(JSON.stringify({ decision }));`;
  const guard = { name: "guard", command: [process.execPath, "guard.mjs"], timeout_ms: 20_000 };

  it("imports what is declared, and denies once that has changed", async () => {
    const fixture = await makeTrustFixture();
    await fixture.write("workspace/guard.mjs", importing);
    await fixture.write("workspace/lib/rules.mjs", `export const decision = "allow";`);
    await fixture.ownHooks({ ...guard, files: ["lib/rules.mjs"] });
    await fixture.trust();
    const hooks = await fixture.open();
    expect(await hooks.beforeCall(sampleCall())).toEqual({ decision: "allow" });
    await fixture.write("workspace/lib/rules.mjs", `export const decision = "allow"; // evil`);
    const reason = "denied by hook 'guard': its code is not what was trusted: lib/rules.mjs changed";
    expect(await hooks.beforeCall(sampleCall())).toEqual({ decision: "deny", reason });
    expect(fixture.reports.at(-1)).toContain("lib/rules.mjs changed");
  });

  it("does not find a file beside it that is not declared", async () => {
    const fixture = await makeTrustFixture();
    await fixture.write("workspace/guard.mjs", importing);
    await fixture.write("workspace/lib/rules.mjs", `export const decision = "allow";`);
    await fixture.ownHooks(guard);
    await fixture.trust();
    const hooks = await fixture.open();
    expect(await hooks.beforeCall(sampleCall())).toMatchObject({ decision: "deny" });
    expect(hooks.trail[0]?.asked[0]?.failure?.detail).toContain("ERR_MODULE_NOT_FOUND");
  });

  it("is read by Node as its package.json says", async () => {
    const fixture = await makeTrustFixture();
    await fixture.write("workspace/package.json", '{"type":"module"}');
    await fixture.write("workspace/tools/guard.js", `import "node:fs";\n${answering({ decision: "allow" })}`);
    await fixture.ownHooks({ ...guard, command: ["node", "tools/guard.js"] });
    await fixture.trust();
    const hooks = await fixture.open();
    expect(await hooks.beforeCall(sampleCall())).toEqual({ decision: "allow" });
  });

  it("runs in the workspace, and leaves no copy when the chain is closed", async () => {
    const fixture = await makeTrustFixture();
    await fixture.write(
      "workspace/guard.sh",
      `#!/bin/sh\necho '{"decision":"deny","reason":"'$PWD'"}'\n`,
      0o755,
    );
    await fixture.ownHooks({ name: "guard", command: ["./guard.sh"] });
    await fixture.trust();
    const copies = join(fixture.root, "state/hook-code");
    const hooks = await fixture.open();
    const reason = `denied by hook 'guard': ${fixture.workspace}`;
    expect(await hooks.beforeCall(sampleCall())).toEqual({ decision: "deny", reason });
    const [copy] = await readdir(copies);
    await writeFile(join(copies, copy!, "0/workspace/guard.sh"), "evil").catch(() => undefined);
    expect(await readdir(copies)).toHaveLength(1);
    await hooks.close();
    expect(await readdir(copies)).toEqual([]);
  });

  it("denies when the copy is not what was trusted", async () => {
    const fixture = await makeTrustFixture();
    await fixture.write("workspace/guard.sh", good, 0o755);
    await fixture.ownHooks({ name: "guard", command: ["./guard.sh"], on_failure: "allow" });
    await fixture.trust();
    const hooks = await fixture.open();
    const copies = join(fixture.root, "state/hook-code");
    const copy = join(copies, (await readdir(copies))[0]!, "0/workspace/guard.sh");
    await rename(await fixture.write("next.sh", evil(fixture), 0o755), copy);
    expect(await hooks.beforeCall(sampleCall())).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("the copy of guard.sh changed"),
    });
    expect(await hasRun(fixture)).toBe(false);
  });
});
