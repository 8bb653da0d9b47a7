// What the console was built of: it is built again once something of it has changed, not for every command of a clone.
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const markerIn = (root) => join(root, "node_modules", ".basis-console");

/** Keeps which files were read, each with its time and size. */
export function rememberInputs(paths, root = here) {
  const stamps = Object.fromEntries(paths.map((path) => [path, stampOf(path)]));
  writeFileSync(markerIn(root), JSON.stringify(stamps));
}

/** True when the console is there, and every file that it was built of is what it was. */
export function isConsoleBuilt(root = here) {
  if (!existsSync(join(root, "apps/runtime/dist/console/app.js")) || !existsSync(markerIn(root)))
    return false;
  const stamps = Object.entries(JSON.parse(readFileSync(markerIn(root), "utf8")));
  return stamps.length > 0 && stamps.every(([path, stamp]) => stampOf(path) === stamp);
}

function stampOf(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "none" : `${stat.mtimeMs} ${stat.size}`;
}
