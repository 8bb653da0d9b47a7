// What loading a root entry costs in milliseconds: the fastest of fresh processes minus the fastest that loads an empty module.
// `node tools/import-time.mjs` prints a table. Nothing is gated by it: compare machines only by the ratios of one run.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { workspaceOnDisk } from "./workspace.mjs";

const rounds = 15;

/** @returns {Map<string, number>} package name → milliseconds, not below 0; rounds of all packages are interleaved. */
export function importTimes(workspace, packages = workspace.packages.filter((pack) => pack.isBlock)) {
  const empty = {
    name: "an empty module",
    cwd: workspace.root,
    code: 'import "data:text/javascript,"',
    ms: Infinity,
  };
  const cases = packages.map((pack) => ({
    name: pack.name,
    cwd: join(workspace.root, pack.dir),
    code: `import ${JSON.stringify(pack.name)}`,
    ms: Infinity,
  }));
  for (let round = 0; round < rounds; round += 1)
    for (const one of [empty, ...cases]) one.ms = Math.min(one.ms, startMs(one));
  return new Map(cases.map(({ name, ms }) => [name, Math.max(0, ms - empty.ms)]));
}

function startMs({ name, cwd, code }) {
  const started = performance.now();
  const done = spawnSync(process.execPath, ["--input-type=module", "--eval", code], {
    cwd,
    encoding: "utf8",
  });
  if (done.status !== 0) throw new Error(`${name} does not load: ${done.stderr}`);
  return performance.now() - started;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, ms] of importTimes(workspaceOnDisk()))
    process.stdout.write(`${name.padEnd(26)} ${ms.toFixed(1).padStart(6)} ms\n`);
}
