// What every check reads: the repository's files and its packages. A test hands in texts instead of a disc.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * @typedef {{ subpath: string, source: string }} Entry One key of a package's exports map: `.` or `./node`, and its source file.
 * @typedef {Record<string, any>} Manifest
 * @typedef {object} Package
 * @property {string} dir Folder below the root, with `/` on every platform.
 * @property {string} name
 * @property {Manifest} manifest
 * @property {boolean} isPublic Meant for a registry.
 * @property {boolean} isBlock A building block: a public package under `packages/`.
 * @property {Entry[]} entries
 * @typedef {object} Workspace
 * @property {string} root Absolute folder; paths in problems are relative to it.
 * @property {string[]} files Tracked and new files that git does not ignore, sorted.
 * @property {(path: string) => string} read
 * @property {Package[]} packages
 */

/** The repository that these tools stand in. */
export const repositoryRoot = dirname(dirname(fileURLToPath(import.meta.url)));

const walkSkips = new Set(["node_modules", "dist", ".git", ".cache", ".turbo", "coverage", "site"]);

/** The workspace on disc. Without git (an unpacked archive), every file outside the usual ignored folders counts. */
export function workspaceOnDisk(root = repositoryRoot) {
  const files = (gitFiles(root) ?? walk(root, root)).filter((path) => isFile(join(root, path)));
  return assemble({ root, files, read: (path) => readFileSync(join(root, path), "utf8") });
}

/** @param {Record<string, string>} texts Path → content. */
export function workspaceOfTexts(texts, root = "/elsewhere/checkout") {
  return assemble({ root, files: Object.keys(texts), read: (path) => texts[path] ?? "" });
}

/** The source files of a package: those under `src/`, and with `tests` those under `test/` too. */
export function sourcesOf(workspace, dir, { tests = false } = {}) {
  const roots = tests ? [`${dir}/src/`, `${dir}/test/`] : [`${dir}/src/`];
  return workspace.files.filter(
    (path) => /\.[cm]?tsx?$/.test(path) && roots.some((prefix) => path.startsWith(prefix)),
  );
}

/** @returns {Workspace} */
function assemble({ root, files, read }) {
  const sorted = files.toSorted();
  const packages = sorted
    .filter((path) => /^(packages|apps)\/[^/]+\/package\.json$/.test(path))
    .map((path) => describePackage(dirname(path), JSON.parse(read(path))));
  return { root, files: sorted, read, packages };
}

/** @returns {Package} */
function describePackage(dir, manifest) {
  const entries = Object.entries(manifest.exports ?? {})
    .filter(([, target]) => typeof target === "object" && target["@basis/source"])
    .map(([subpath, target]) => ({
      subpath,
      source: `${dir}/${target["@basis/source"].replace(/^\.\//, "")}`,
    }));
  const isPublic = manifest.private !== true;
  return {
    dir,
    name: manifest.name,
    manifest,
    isPublic,
    isBlock: isPublic && dir.startsWith("packages/"),
    entries,
  };
}

function gitFiles(root) {
  const listed = spawnSync(
    "git",
    ["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  if (listed.status !== 0) return undefined;
  return [...new Set(listed.stdout.split("\0").filter(Boolean))];
}

function walk(root, dir) {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    if (walkSkips.has(entry.name)) return [];
    const path = join(dir, entry.name);
    return entry.isDirectory() ? walk(root, path) : [relative(root, path).split(sep).join("/")];
  });
}

function isFile(path) {
  return existsSync(path) && statSync(path).isFile();
}
