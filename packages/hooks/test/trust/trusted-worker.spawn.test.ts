import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { sampleCall } from "../../src/testing/index.ts";
import { makeTrustFixture } from "./trust-fixture.ts";

const kit = new URL("../../kits/hook.mjs", import.meta.url);

/** A hook that tells its process number and keeps nothing else. */
const telling = `import { serve } from "./lib/hook.mjs";
await serve(() => ({ decision: "deny", reason: String(process.pid) }));`;

// S9
describe("a trusted worker", () => {
  it("serves from the copies, in one process for entries of one command, and denies once its code changed", async () => {
    const fixture = await makeTrustFixture();
    await fixture.write("workspace/guard.mjs", telling);
    await fixture.write("workspace/lib/hook.mjs", await readFile(kit, "utf8"));
    const guard = { command: [process.execPath, "guard.mjs"], files: ["lib/hook.mjs"], timeout_ms: 20_000 };
    await fixture.ownHooks(
      { ...guard, name: "pre", mode: "worker" },
      { ...guard, name: "post", mode: "worker", event: "post_tool_use" },
    );
    await fixture.trust();
    const hooks = await fixture.open();
    const before = await hooks.beforeCall(sampleCall());
    const after = await hooks.afterCall(sampleCall(), { output: "x", isError: false });
    const pidOf = (outcome: object): string | undefined =>
      /: (\d+)$/.exec(JSON.stringify(outcome).slice(0, -2))?.[1];
    expect(pidOf(before)).toBeDefined();
    expect(pidOf(after)).toBe(pidOf(before));
    await fixture.write("workspace/lib/hook.mjs", "evil");
    expect(await hooks.beforeCall(sampleCall())).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("its code is not what was trusted: lib/hook.mjs changed"),
    });
  });
});
