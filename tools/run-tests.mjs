// `npm test`: the checks from the cheapest on, the build, the linter, then vitest, whose summaries stand last.
// Tests that start processes share one worker, and wait more than they work: they run beside all the others.
// With arguments only the build and vitest run: `npm test -- --project @basis/hooks`.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checks } from "./checks/index.mjs";
import { checkFormat, checkLint, checkVersions, compile } from "./programs.mjs";
import { runVitest } from "./run-vitest.mjs";
import { Steps } from "./steps.mjs";
import { repositoryRoot, workspaceOnDisk } from "./workspace.mjs";

/** How many tests of a whole run passed, for CI's count. */
const counts = join(repositoryRoot, ".cache", "vitest.json");

const args = process.argv.slice(2);
const steps = new Steps();
if (args.length > 0) await narrowRun();
else await wholeRun();
steps.finish();

async function narrowRun() {
  if (await steps.run("build", compile)) await runTests(args, `${counts}.narrow`);
}

async function wholeRun() {
  await steps.run("format", checkFormat);
  await steps.run("versions", checkVersions);
  const workspace = workspaceOnDisk();
  for (const { name, problems } of checks) await steps.run(name, () => problems(workspace));
  const built = await steps.run("build", compile);
  await steps.run("lint", checkLint);
  if (built) await runAllTests();
}

async function runAllTests() {
  rmSync(counts, { force: true });
  const halves = [`${counts}.spawning`, `${counts}.others`];
  const spawning = runApart(["--project", "spawning", "--reporter=dot"], halves[0]);
  await runTests(["--project", "!spawning", "--reporter=dot"], halves[1]);
  const { code, output } = await spawning;
  process.stdout.write(output);
  if (code !== 0) steps.failed.push("tests that start processes");
  addCounts(halves);
}

/** Another vitest run, beside this one; what it prints is kept until it has ended. */
function runApart(extra, path) {
  const child = spawn(process.execPath, ["tools/run-vitest.mjs", path, ...extra], {
    cwd: repositoryRoot,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  return new Promise((settle) => {
    child.once("close", (code) => settle({ code, output: Buffer.concat(output) }));
  });
}

/** One file of both halves' counts; without one of them the run did not finish, and none is written. */
function addCounts(halves) {
  if (!halves.every((path) => existsSync(path))) return;
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const path of halves) {
    const part = JSON.parse(readFileSync(path, "utf8"));
    for (const key of Object.keys(sum)) sum[key] += part[key];
  }
  writeFileSync(counts, JSON.stringify(sum));
}

async function runTests(extra, path) {
  if (!(await runVitest(extra, path))) steps.failed.push("tests");
}
