// Root entries run anywhere: nothing that loads with a package's root entry is a Node module or third-party code.
import { importsOf, resolveRelative, splitSpecifier } from "../module-imports.mjs";

/** @returns {string[]} */
export function rootReachProblems(workspace) {
  return workspace.packages
    .filter((pack) => pack.isBlock)
    .flatMap((pack) => {
      const entry = pack.entries.find(({ subpath }) => subpath === ".");
      return entry
        ? foreignImports(workspace, entry.source)
        : [`${pack.dir}/package.json has no root entry with a source`];
    });
}

/** The modules that load with `source`, in loading order, and the imports among them that leave the workspace. */
function foreignImports(workspace, source) {
  const problems = [];
  const seen = new Set();
  const visit = (path, trail) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const one of importsOf(workspace, path)) {
      if (one.typeOnly || one.dynamic) continue;
      const next = targetOf(workspace, path, one.specifier);
      if (next) visit(next, [...trail, path]);
      else problems.push(`${path}:${one.line} "${one.specifier}" loads with the root entry${via(trail)}`);
    }
  };
  visit(source, []);
  return problems;
}

function via(trail) {
  return trail.length > 0 ? ` (by way of ${trail.join(" → ")})` : "";
}

function targetOf(workspace, importer, specifier) {
  if (specifier.startsWith(".")) {
    const path = resolveRelative(importer, specifier);
    return workspace.files.includes(path) ? path : undefined;
  }
  const { name, subpath } = splitSpecifier(specifier);
  const pack = workspace.packages.find((other) => other.name === name);
  return pack?.entries.find((entry) => entry.subpath === subpath)?.source;
}
