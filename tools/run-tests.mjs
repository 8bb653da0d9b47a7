// `npm test`: the checks from the cheapest on, the build, the linter, then vitest, whose summaries stand last.
// The tests run in parts, two at a time: what starts processes waits more than it works, and so does what asks a database.
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

/** What runs as a vitest of its own, the longest first. */
const parts = [
  ["tests of commands", ["--project", "commands"]],
  ["tests that start processes", ["--project", "spawning"]],
  ["tests of stores", ["--project", "@mobkit/*", "--project", "postgres"]],
  ["tests", ["--project", "@basis/*", "--project", "tools"]],
];

/** At most so many at a time: more would make the deadlines of started processes mean less on a machine of two cores. */
const atOnce = 2;

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
  const waiting = parts.map(([label, projects], index) => ({ label, projects, path: `${counts}.${index}` }));
  const paths = waiting.map(({ path }) => path);
  const worker = async () => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) await runPart(part);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  addCounts(paths);
}

/** One part; what it prints is kept until it has ended. */
async function runPart({ label, projects, path }) {
  await steps.run(label, async () => {
    const { code, output } = await runApart([...projects, "--reporter=dot"], path);
    process.stdout.write(output);
    return code === 0 ? [] : [`vitest ended with ${code ?? "a signal"}`];
  });
}

/** A vitest in a process of its own. */
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

/** One file of all parts' counts; without one of them the run did not finish, and none is written. */
function addCounts(paths) {
  if (!paths.every((path) => existsSync(path))) return;
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const path of paths) {
    const part = JSON.parse(readFileSync(path, "utf8"));
    for (const key of Object.keys(sum)) sum[key] += part[key];
  }
  writeFileSync(counts, JSON.stringify(sum));
}

async function runTests(extra, path) {
  if (!(await runVitest(extra, path))) steps.failed.push("tests");
}
