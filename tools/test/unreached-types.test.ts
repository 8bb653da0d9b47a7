import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { bundleRoot, restoreRoot, takeOut } from "../packed/bundle-root.mjs";
import { unreachedTypes } from "../packed/unreached-types.mjs";

const built: Readonly<Record<string, string>> = {
  "index.d.ts": 'export { run } from "./run.ts";\nexport declare const more: typeof import("./more.ts");\n',
  "run.d.ts":
    'import type { Shape } from "./deep/shape.js";\nexport declare function run(shape: Shape): import("./used.ts").Used;\n',
  "deep/shape.d.ts": "export interface Shape {}\n",
  "used.d.ts": "export interface Used {}\n",
  "more.d.ts": "export declare const more = 1;\n",
  "inner.d.ts": 'import type { Shape } from "./deep/shape.ts";\nexport declare const inner: Shape;\n',
  "cli/main.d.ts": "export {};\n",
  "cli/parts.d.ts": "export declare const parts = 1;\n",
  "index.js": "export const run = () => 1;\n",
};
const manifest = {
  exports: { ".": { types: "./src/index.ts" } },
  publishConfig: {
    exports: {
      ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
      "./cli": "./dist/cli/main.js",
    },
  },
};

function lay() {
  const root = mkdtempSync(join(tmpdir(), "basis-types-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const dist = join(root, "dist");
  for (const [path, text] of Object.entries(built)) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    writeFileSync(join(dist, path), text);
  }
  return { dist, backup: join(root, "backup") };
}

it("finds the declarations that no published entry leads to, and no others", () => {
  const { dist } = lay();
  expect(unreachedTypes(dist, manifest, Object.keys(built))).toEqual(["inner.d.ts", "cli/parts.d.ts"]);
});

it("takes them out for packing, and puts them back as they were", async () => {
  const { dist, backup } = lay();
  await bundleRoot(dist, backup);
  takeOut(dist, backup, ["inner.d.ts", "cli/parts.d.ts"]);
  expect(existsSync(join(dist, "inner.d.ts"))).toBe(false);
  expect(existsSync(join(dist, "run.d.ts"))).toBe(true);
  // the compiler wrote one of them anew
  writeFileSync(join(dist, "cli/parts.d.ts"), "fresh");
  restoreRoot(dist, backup);
  expect(readFileSync(join(dist, "inner.d.ts"), "utf8")).toBe(built["inner.d.ts"]);
  expect(readFileSync(join(dist, "cli/parts.d.ts"), "utf8")).toBe("fresh");
  expect(existsSync(backup)).toBe(false);
});
