// What is in a tarball: built files and their words, nothing of the workspace; and what its root entry loads.
import { posix } from "node:path";
import { importsInText } from "../module-imports.mjs";

/** What belongs to the workspace: sources, tests, build records, packages and packs. */
const refused =
  /^src\/|(?:^|\/)(?:test|node_modules|temp)\/|\.test\.|\.tsbuildinfo$|\.tgz$|(?<!\.d)\.[cm]?tsx?$/;
const needed = ["package.json", "README.md", "LICENSE"];

/** @returns {string[]} problems of one packed package. */
export function contentProblems({ files }) {
  const paths = files.map((file) => file.path);
  const strange = paths.filter((path) => refused.test(path));
  const missing = needed.filter((path) => !paths.includes(path));
  const manifest = files.find((file) => file.path === "package.json");
  return [
    ...strange.map((path) => `packs ${path}`),
    ...missing.map((path) => `does not pack ${path}`),
    ...(manifest ? manifestProblems(manifest.content.toString(), paths) : []),
  ];
}

function manifestProblems(text, paths) {
  const problems = [];
  if (text.includes("@basis/source")) problems.push("publishes the development condition @basis/source");
  if (/"(?:workspace|file|link):/.test(text)) problems.push("publishes a dependency by workspace path");
  const targets = [...text.matchAll(/"\.\/((?:dist\/)[^"*]+)"/g)].map(([, path]) => path);
  return [
    ...problems,
    ...targets.filter((path) => !paths.includes(path)).map((path) => `names ${path} and does not pack it`),
  ];
}

/**
 * The package's own modules that load with its root entry, in loading order.
 * @param {{ path: string, content: Buffer }[]} files
 */
export function rootModules(files) {
  const text = (path) => files.find((file) => file.path === path)?.content.toString() ?? "";
  const root = JSON.parse(text("package.json")).exports["."].default;
  const seen = new Set();
  const visit = (path) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { specifier, dynamic, typeOnly } of importsInText(path, text(path)))
      if (specifier.startsWith(".") && !dynamic && !typeOnly)
        visit(posix.join(posix.dirname(path), specifier));
  };
  visit(posix.normalize(root));
  return [...seen];
}
