// Where each file of a tarball comes from: what the compiler wrote has its source, and all others stand in a reviewed list.
// The list leaves the compiled modules out: their entries are pinned by the API reports, and their names are the sources'.
import { basename } from "node:path";

/** The host's page is bundled, so that its files stand in the list. */
const compiled = /^dist\/(?!console\/)(.+?)(?:\.d\.ts|\.js)$/;
/** Written by a release, so it is there or not. */
const changelog = "CHANGELOG.md";
/** Written by packing (see bundle-root.mjs). */
const joined = "dist/root-modules.js";

/** The tracked list of a package. @returns {string} below the root */
export function listPath(pack) {
  return `etc/tarballs/${basename(pack.dir)}.txt`;
}

/** One path a line, sorted. @param {{ files: { path: string }[] }} contents */
export function listText({ files }) {
  const paths = files.map(({ path }) => path).filter((path) => !compiled.test(path) && path !== changelog);
  return `${paths.toSorted().join("\n")}\n`;
}

/** @returns {string[]} problems of one packed package. */
export function originProblems(workspace, pack, contents) {
  const sources = new Set(workspace.files);
  const hasFile = (path) => sources.has(`${pack.dir}/${path}`);
  const paths = contents.files.map(({ path }) => path);
  const list = listPath(pack);
  const listed = workspace.files.includes(list) ? workspace.read(list).split("\n").filter(Boolean) : [];
  const packs = listText(contents).split("\n").filter(Boolean);
  const advice = `review it and run node tools/pack-check.mjs ${pack.name} --write`;
  return [
    ...staleModules(paths, hasFile).map((path) => `packs ${path}, which has no source any more`),
    ...packs
      .filter((path) => !listed.includes(path))
      .map((path) => `packs ${path}, not in ${list}: ${advice}`),
    ...listed.filter((path) => !packs.includes(path)).map((path) => `lacks ${path} of ${list}: ${advice}`),
  ];
}

/**
 * Modules that an older build left behind: the compiler deletes nothing.
 * @param {string[]} paths In `dist` or elsewhere, below the package.
 * @param {(path: string) => boolean} hasFile Whether a path below the package exists.
 */
export function staleModules(paths, hasFile) {
  return paths.filter((path) => {
    const stem = compiled.exec(path)?.[1];
    if (stem === undefined || path === joined) return false;
    return ![".ts", ".js"].some((end) => hasFile(`src/${stem}${end}`));
  });
}
