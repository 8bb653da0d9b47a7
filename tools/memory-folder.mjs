// A folder in memory for the temporary files of tests: every write of a store is synced, and a disk takes milliseconds for that.
// What is written is the same; only what a test measures of the disk itself would not be, and none does.
import { mkdtempSync, chmodSync, existsSync, readdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** Where Linux has a file system in memory. */
const place = "/dev/shm";
const prefix = "basis-tests-";
const leastBytes = 3 * 1024 ** 3;

/**
 * Makes the folder and names it to this process and all that it starts (`TMPDIR`), until `remove`.
 * Undefined where a `TMPDIR` was given, or where the system has no such place, no room in it, or starts no programs from it.
 * @returns {{ path: string, remove: () => void } | undefined}
 */
export function openMemoryFolder() {
  if (process.env.TMPDIR !== undefined || !isUsable()) return undefined;
  removeLeftOvers();
  const path = mkdtempSync(join(place, `${prefix}${process.pid}-`));
  chmodSync(path, 0o711); // servers that run as another user have their data below it
  process.env.TMPDIR = path;
  const remove = () => {
    process.off("exit", remove);
    delete process.env.TMPDIR;
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  };
  process.on("exit", remove);
  return { path, remove };
}

function isUsable() {
  if (process.platform !== "linux" || !existsSync(place)) return false;
  const mount = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" "))
    .findLast((fields) => fields[1] === place);
  if (mount?.[2] !== "tmpfs" || mount[3]?.split(",").some((option) => option === "noexec" || option === "ro"))
    return false;
  const { bavail, bsize } = statfsSync(place);
  return Math.min(bavail * bsize, process.availableMemory()) > leastBytes;
}

/** What a run left that was killed: memory is nobody's to keep. */
function removeLeftOvers() {
  for (const name of readdirSync(place)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : NaN;
    if (pid > 0 && !existsSync(`/proc/${pid}`))
      rmSync(join(place, name), { recursive: true, force: true, maxRetries: 5 });
  }
}
