import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchmarks } from "./places.mjs";

/**
 * Installs the pinned peers beside the benchmarks, unless the lockfile is the one installed already. They are optional
 * dependencies: one that cannot be had is left out, and its rows say so. No install script runs.
 * @returns {string | undefined} why nothing could be installed.
 */
export function installPeers() {
  const lock = readFileSync(join(benchmarks, "package-lock.json"));
  const wanted = `${createHash("sha256").update(lock).digest("hex")} ${process.version}`;
  const marker = join(benchmarks, "node_modules", ".peers-installed");
  if (existsSync(marker) && readFileSync(marker, "utf8") === wanted) return undefined;
  process.stderr.write("· peers …\n");
  const done = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: benchmarks,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (done.status !== 0) {
    const lines = `${done.error?.message ?? done.stderr}`.split("\n").filter((line) => line.trim());
    const reason = lines.find((line) => /npm (error|ERR!)/.test(line)) ?? lines[0] ?? `exit ${done.status}`;
    process.stderr.write(`✗ peers were not installed: ${reason}\n`);
    return reason.replace(/^npm (error|ERR!)\s*/, "npm: ");
  }
  writeFileSync(marker, wanted);
  process.stderr.write("✓ peers\n");
  return undefined;
}

/** The installed version of a peer, or undefined. */
export function peerVersion(name) {
  const manifest = join(benchmarks, "node_modules", name, "package.json");
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, "utf8")).version : undefined;
}
