import { workspaceOfTexts } from "../workspace.mjs";

const names = [
  "@basis/core",
  "@basis/hooks",
  "@basis/approval",
  "@basis/child-policy",
  "@mobkit/session",
  "@mobkit/session-sqlite",
  "@mobkit/fork",
];

/** A package.json that passes every check, with `over` laid on top. */
export function manifest(name: string, over: Record<string, unknown> = {}): string {
  const target = { types: "./dist/index.d.ts", default: "./dist/index.js" };
  return JSON.stringify({
    name,
    description: "For a test.",
    license: "MIT",
    type: "module",
    sideEffects: false,
    engines: { node: ">=20.19.0" },
    scripts: {
      prepack: "node ../../tools/packed/bundle-root.mjs",
      postpack: "node ../../tools/packed/bundle-root.mjs --restore",
      tarball: "node ../../tools/pack.mjs",
      "pack:check": "node ../../tools/pack-check.mjs . --packed",
    },
    exports: { ".": { "@basis/source": "./src/index.ts", ...target } },
    publishConfig: { access: "public", provenance: true, exports: { ".": target } },
    ...over,
  });
}

/** A workspace in which every check passes, with `texts` laid on top of it. */
export function workspaceWith(
  texts: Record<string, string>,
  root?: string,
): ReturnType<typeof workspaceOfTexts> {
  const base: Record<string, string> = {
    "apps/runtime/package.json": manifest("@basis/runtime"),
    "apps/runtime/src/index.ts": "export const host = 1;\n",
    "apps/runtime/LICENSE": "MIT",
  };
  for (const name of names) {
    const dir = `packages/${name.split("/")[1]}`;
    base[`${dir}/package.json`] = manifest(name);
    base[`${dir}/src/index.ts`] = "export const value = 1;\n";
    base[`${dir}/LICENSE`] = "MIT";
  }
  return workspaceOfTexts({ ...base, ...texts }, root);
}
