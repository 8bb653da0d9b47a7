import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { aloneProblems } from "../packed/alone.mjs";
import { workspaceOnDisk } from "../workspace.mjs";
import { manifest } from "./small-workspace.ts";

const folders: string[] = [];
afterAll(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const whole = {
  "packages/hooks/src/index.ts": "export const chain = (): number => 1;\n",
  "packages/hooks/dist/index.js": "export const chain = () => 1;\n",
  "packages/hooks/dist/index.d.ts": "export declare const chain: () => number;\n",
  "packages/hooks/package.json": manifest("@basis/hooks"),
  "examples/hooks/quick-start.mjs":
    'import { chain } from "@basis/hooks";\nif (chain() !== 1) throw new Error("not one");\n',
};

/** Tries a package whose tarball has `packed` laid over what the workspace holds. */
async function tryAlone(
  packed: Record<string, string> = {},
  inWorkspace: Record<string, string> = {},
): Promise<string[]> {
  const root = mkdtempSync(join(tmpdir(), "basis-alone-"));
  folders.push(root);
  const write = (base: string, texts: Record<string, string>) => {
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(base, path)), { recursive: true });
      writeFileSync(join(base, path), text);
    }
  };
  write(root, { ...whole, ...inWorkspace });
  const inTarball = { ...whole, ...packed };
  const names = ["package.json", "dist/index.js", "dist/index.d.ts"] as const;
  for (const name of names)
    write(join(root, "packed/package"), { [name]: inTarball[`packages/hooks/${name}`] ?? "" });
  spawnSync("tar", ["-czf", join(root, "hooks.tgz"), "-C", join(root, "packed"), "package"]);
  const workspace = workspaceOnDisk(root);
  const tarballs = [join(root, "hooks.tgz")];
  return aloneProblems({ workspace, pack: workspace.packages[0], tarballs, project: join(root, "alone") });
}

describe("a package alone", () => {
  it("passes when it loads, runs and type-checks", async () => {
    expect(await tryAlone()).toEqual([]);
  });

  it.each([
    ["installs", { "packages/hooks/package.json": "{" }],
    ["loads by require()", { "packages/hooks/dist/index.js": "export const chain = await 1;\n" }],
    [
      "loads every entry",
      { "packages/hooks/dist/index.js": "const other = () => 1;\nexport { other as chain };\n" },
    ],
    ["type-checks", { "packages/hooks/dist/index.d.ts": "export declare const chain: () => Unknown;\n" }],
  ])("does not when it no longer %s", async (stage, packed) => {
    expect((await tryAlone(packed))[0]).toBe(`@basis/hooks ${stage}: failed`);
  });

  it("does not when its quick start fails", async () => {
    const wrong = { "examples/hooks/quick-start.mjs": 'throw new Error("wrong");\n' };
    expect((await tryAlone({}, wrong)).join("\n")).toMatch(/runs its quick start: failed[\s\S]*wrong/);
  });
});
