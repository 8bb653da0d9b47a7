import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { answering, makeTrustFixture, type TrustFixture } from "./trust-fixture.ts";

const entry = fileURLToPath(new URL("../../dist/node/index.js", import.meta.url));

/** Opens the hooks in another process, which then ends in the way given. */
async function openElsewhere({ workspace, trustFile }: TrustFixture, end: string): Promise<void> {
  const options = { workspace, trustFile, globalDir: "/nowhere" };
  const program = `
    import { openHooks } from ${JSON.stringify(entry)};
    await openHooks(${JSON.stringify(options)});
    ${end}`;
  await once(spawn(process.execPath, ["--input-type=module", "-e", program]), "exit");
}

async function trusted(): Promise<TrustFixture & { readonly copies: () => Promise<string[]> }> {
  const fixture = await makeTrustFixture();
  await fixture.write("workspace/guard.mjs", answering({ decision: "allow" }));
  await fixture.ownHooks({ name: "guard", command: [process.execPath, "guard.mjs"] });
  await fixture.trust();
  return { ...fixture, copies: () => readdir(join(fixture.root, "state/hook-code")) };
}

// S9
describe("the copies of trusted code", () => {
  it("go with a host that exits without closing its hooks", async () => {
    const fixture = await trusted();
    await openElsewhere(fixture, "process.exit(0);");
    expect(await fixture.copies()).toEqual([]);
  });

  it("of a host that was killed are removed by the next one, those of a living one are not", async () => {
    const fixture = await trusted();
    await openElsewhere(fixture, `process.kill(process.pid, "SIGKILL"); await new Promise(() => {});`);
    const left = await fixture.copies();
    expect(left).toHaveLength(1);
    await fixture.open();
    const first = await fixture.copies();
    expect(first).toHaveLength(1);
    expect(first).not.toEqual(left);
    await fixture.open();
    expect(await fixture.copies()).toEqual(expect.arrayContaining(first));
    expect(await fixture.copies()).toHaveLength(2);
  });
});
