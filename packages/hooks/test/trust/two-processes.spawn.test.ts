import { execFile } from "node:child_process";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { readTrust } from "../../src/trust/index.ts";
import { makeTrustFixture } from "./trust-fixture.ts";

const entry = fileURLToPath(new URL("../../dist/trust/index.js", import.meta.url));
const EACH = 15;

describe("a file of trust", () => {
  it("loses nothing when two processes write it at once, and keeps no lock", async () => {
    const fixture = await makeTrustFixture();
    const names = ["a", "b"];
    for (const name of names) {
      for (let index = 0; index < EACH; index += 1) {
        const hooks = [{ name: "g", command: ["true"] }];
        await fixture.write(`${name}${index}/.basis/hooks.json`, JSON.stringify({ schema: 1, hooks }));
      }
    }
    const program = (name: string): string => `
      import { trustWorkspace } from ${JSON.stringify(entry)};
      for (let index = 0; index < ${EACH}; index += 1)
        await trustWorkspace({ workspace: ${JSON.stringify(`${fixture.root}/${name}`)} + index, trustFile: ${JSON.stringify(fixture.trustFile)} });
    `;
    const run = (name: string) =>
      promisify(execFile)(process.execPath, ["--input-type=module", "-e", program(name)]);
    await Promise.all(names.map(run));
    const { trustFile } = fixture;
    expect(await readTrust({ trustFile })).toHaveLength(2 * EACH);
    expect(await readdir(dirname(trustFile))).toEqual(["trust.json"]);
  });

  it("is written again after a process died with the lock", async () => {
    const fixture = await makeTrustFixture();
    await fixture.ownHooks({ name: "g", command: ["true"] });
    await mkdir(dirname(fixture.trustFile));
    const lock = join(dirname(fixture.trustFile), "trust.json.lock");
    await writeFile(lock, "somebody");
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(lock, longAgo, longAgo);
    expect(await fixture.trust()).toMatchObject({ state: "trusted" });
    expect(await readdir(dirname(fixture.trustFile))).toEqual(["trust.json"]);
  });
});
