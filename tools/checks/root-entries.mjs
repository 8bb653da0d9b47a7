// Gates on what a package's root entry costs: bytes, values exported, foreign code. They are the same on every machine.
// How many modules it loads is a fact of the tarball: see tools/packed/contents.mjs.
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { splitSpecifier } from "../module-imports.mjs";
import { budgetOf } from "./root-entry-budgets.mjs";

/** @returns {Promise<string[]>} */
export async function rootEntryProblems(workspace) {
  const blocks = workspace.packages.filter((pack) => pack.isBlock && hasRoot(pack));
  const costs = await Promise.all(blocks.map((pack) => rootEntryCost(workspace, pack)));
  return costs.flatMap((cost) => overBudget(cost, budgetOf(cost.name)));
}

/**
 * What loading the root entry costs.
 * `gzipBytes`: the entry bundled for a neutral platform with its siblings, minified and compressed.
 * `values`: names it exports besides types. `foreign`: imports that leave the workspace.
 */
export async function rootEntryCost(workspace, pack) {
  const foreign = new Set();
  const source = pack.entries.find(({ subpath }) => subpath === ".").source;
  const result = await build({
    absWorkingDir: workspace.root,
    entryPoints: [source],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    target: "es2023",
    metafile: true,
    write: false,
    outfile: "root-entry.js",
    logLevel: "silent",
    plugins: [fromSources(workspace, foreign)],
  });
  const [output] = Object.values(result.metafile.outputs);
  return {
    name: pack.name,
    dir: pack.dir,
    gzipBytes: gzipSync(result.outputFiles[0].contents, { level: 9 }).length,
    values: output.exports.length,
    foreign: [...foreign],
  };
}

/** Resolves sibling packages to their sources; leaves lazy imports outside, and notes whatever else is imported. */
function fromSources(workspace, foreign) {
  return {
    name: "workspace-sources",
    setup({ onResolve }) {
      onResolve({ filter: /.*/ }, ({ path, kind }) => {
        if (kind === "entry-point") return undefined;
        if (kind === "dynamic-import") return { path, external: true };
        if (path.startsWith(".")) return undefined;
        const { name, subpath } = splitSpecifier(path);
        const sibling = workspace.packages.find((pack) => pack.name === name);
        const entry = sibling?.entries.find((one) => one.subpath === subpath);
        if (entry) return { path: join(workspace.root, entry.source), sideEffects: false };
        foreign.add(path);
        return { path, external: true };
      });
    },
  };
}

function overBudget(cost, budget) {
  const over = (what, is, limit) =>
    is > limit ? [`${cost.dir} root entry: ${is} ${what}, at most ${limit}`] : [];
  return [
    ...over("bytes gzipped", cost.gzipBytes, budget.gzipBytes),
    ...over("exported values", cost.values, budget.values),
    ...cost.foreign.map((path) => `${cost.dir} root entry: loads "${path}"`),
  ];
}

function hasRoot(pack) {
  return pack.entries.some(({ subpath }) => subpath === ".");
}
