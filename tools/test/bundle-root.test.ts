import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { bundleRoot, restoreRoot } from "../packed/bundle-root.mjs";
import { joinedEntries } from "../packed/joined-entries.mjs";
import { workspaceOnDisk } from "../workspace.mjs";

const built = {
  "package.json": '{ "type": "module" }',
  "dist/index.js": 'export { Guard } from "./guard.js";\nexport { run, load } from "./deep/run.js";\n',
  "dist/guard.js":
    'import { basename } from "node:path";\nexport class Guard {\n  static is(x) {\n    return x instanceof Guard;\n  }\n  constructor() {\n    this.name = basename(new.target.name);\n  }\n}\nexport const inner = 1;\n',
  "dist/deep/run.js":
    'import { Guard } from "../guard.js";\nimport "../types.js";\nexport const run = () => new Guard();\nexport const load = () => import("./lazy.js");\n',
  "dist/deep/lazy.js": 'import { inner } from "../guard.js";\nexport const lazy = inner;\n',
  "dist/types.js": "export {};\n",
  "dist/node/index.js": 'export { Guard } from "../guard.js";\n',
};

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function builtPackage(): { dist: string; backup: string; read: () => Record<string, string> } {
  const root = mkdtempSync(join(tmpdir(), "basis-bundle-"));
  folders.push(root);
  for (const [path, text] of Object.entries(built)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const dist = join(root, "dist");
  const files = () =>
    readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".js"));
  const read = () =>
    Object.fromEntries(files().map((path) => [path, readFileSync(join(dist, path), "utf8")]));
  return { dist, backup: join(root, "backup"), read };
}

/** What a user's process sees: imports, names, and whether two entries share a class. */
const asUser = `
  const [root, node, guard] = await Promise.all(["./index.js", "./node/index.js", "./guard.js"].map((path) => import(path)));
  const { lazy } = await root.load();
  const seen = { keys: Object.keys(root).toSorted(), name: root.run().name, same: node.Guard === root.Guard, inner: guard.inner, lazy };
  console.log(JSON.stringify(seen));
`;

describe("bundling a root entry", () => {
  it("keeps every name, every path and one instance for all entries", async () => {
    const { dist, backup, read } = builtPackage();
    await bundleRoot(dist, backup);
    writeFileSync(join(dist, "user.mjs"), asUser);
    const user = spawnSync(process.execPath, [join(dist, "user.mjs")], { encoding: "utf8" });
    const seen = { keys: ["Guard", "load", "run"], name: "Guard", same: true, inner: 1, lazy: 1 };
    expect(JSON.parse(user.stdout || user.stderr)).toEqual(seen);
    expect(read()["index.js"]).toContain('from "./root-modules.js"');
    expect(read()["deep/run.js"]).toContain('from "../root-modules.js"');
    expect(read()["deep/lazy.js"]).toMatch(/import { m\d+_inner as inner } from "..\/root-modules.js";/);
    expect(read()["node/index.js"]).toMatch(/export { m\d+_Guard as Guard } from "..\/root-modules.js";/);
  });

  it("joins what loads with the entries it is told, and leaves what must start alone", async () => {
    const { dist, backup, read } = builtPackage();
    const before = read();
    await bundleRoot(dist, backup, { roots: ["deep/run.js"], apart: ["guard.js"] });
    const after = read();
    expect(after["guard.js"]).toBe(before["guard.js"]);
    expect(after["deep/run.js"]).toContain('from "../root-modules.js"');
    expect(after["root-modules.js"]).toContain('from "./guard.js"');
    expect(after["root-modules.js"]).not.toContain("class Guard");
    expect(after["index.js"]).toMatch(
      /export { m\d+_run as run, m\d+_load as load } from ".\/root-modules.js";/,
    );
    expect(after["index.js"]).toContain('from "./guard.js"');
  });

  it("is undone, byte for byte", async () => {
    const { dist, backup, read } = builtPackage();
    const before = read();
    await bundleRoot(dist, backup);
    expect(read()).not.toEqual(before);
    restoreRoot(dist, backup);
    expect(read()).toEqual(before);
    expect(existsSync(backup)).toBe(false);
  });

  it("can be done again after it was broken off", async () => {
    const { dist, backup, read } = builtPackage();
    const before = read();
    await bundleRoot(dist, backup);
    const once = read();
    await bundleRoot(dist, backup);
    expect(read()).toEqual(once);
    restoreRoot(dist, backup);
    expect(read()).toEqual(before);
  });

  it("leaves alone what the compiler wrote in between", async () => {
    const { dist, backup, read } = builtPackage();
    await bundleRoot(dist, backup);
    writeFileSync(join(dist, "guard.js"), "export const fresh = 1;\n");
    restoreRoot(dist, backup);
    expect(read()["guard.js"]).toBe("export const fresh = 1;\n");
    expect(read()["index.js"]).toBe(built["dist/index.js"]);
  });
});

it("what is joined when a package is packed is there: a file that was moved takes its name along", () => {
  const { files, packages } = workspaceOnDisk();
  const named = packages.flatMap(({ name, dir }: { name: string; dir: string }) => {
    const { roots, apart } = joinedEntries(name);
    return [...roots, ...apart].map((path) => `${dir}/src/${path.replace(/\.js$/, ".ts")}`);
  });
  expect(named).toContain("packages/hooks/src/index.ts");
  expect(named.filter((path) => !files.includes(path))).toEqual([]);
});
