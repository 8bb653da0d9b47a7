// What loading a packed root entry costs in milliseconds: the fastest of fresh processes minus the fastest of an empty module.
// `node tools/import-time.mjs` prints a table. Nothing is gated by it: compare only figures of one run.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPacked } from "./packed/tarball.mjs";
import { workspaceOnDisk } from "./workspace.mjs";

const rounds = 15;

/**
 * @param {string} project A folder in whose node_modules the packages are.
 * @param {string[]} names
 * @returns {Map<string, number>} name → milliseconds, not below 0; the rounds of all packages are interleaved.
 */
export function importTimes(project, names) {
  const empty = { name: "an empty module", code: 'import "data:text/javascript,"', ms: Infinity };
  const cases = names.map((name) => ({ name, code: `import ${JSON.stringify(name)}`, ms: Infinity }));
  for (let round = 0; round < rounds; round += 1)
    for (const one of [empty, ...cases]) one.ms = Math.min(one.ms, startMs(project, one));
  return new Map(cases.map(({ name, ms }) => [name, Math.max(0, ms - empty.ms)]));
}

function startMs(cwd, { name, code }) {
  const started = performance.now();
  const done = spawnSync(process.execPath, ["--input-type=module", "--eval", code], {
    cwd,
    encoding: "utf8",
  });
  if (done.status !== 0) throw new Error(`${name} does not load: ${done.stderr}`);
  return performance.now() - started;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const workspace = workspaceOnDisk();
  const blocks = workspace.packages.filter((pack) => pack.isBlock);
  const project = mkdtempSync(join(tmpdir(), "basis-import-time-"));
  try {
    installPacked(workspace, blocks, project);
    for (const [name, ms] of importTimes(
      project,
      blocks.map((pack) => pack.name),
    ))
      process.stdout.write(`${name.padEnd(26)} ${ms.toFixed(1).padStart(6)} ms\n`);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}
