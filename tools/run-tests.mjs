// `npm test`: the checks from the cheapest on, the build, the linter, then vitest, whose summary stands last.
// With arguments only the build and vitest run: `npm test -- --project @basis/hooks`.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { checks } from "./checks/index.mjs";
import { checkFormat, checkLint, checkVersions, compile } from "./programs.mjs";
import { runProgram, Steps } from "./steps.mjs";
import { repositoryRoot, workspaceOnDisk } from "./workspace.mjs";

/** Vitest's own account of a whole run, for CI's count. */
const report = join(repositoryRoot, ".cache", "vitest.json");

const args = process.argv.slice(2);
const steps = new Steps();
if (args.length > 0) await narrowRun();
else await wholeRun();
steps.finish();

async function narrowRun() {
  if (await steps.run("build", compile)) await runVitest(args);
}

async function wholeRun() {
  await steps.run("format", checkFormat);
  await steps.run("versions", checkVersions);
  const workspace = workspaceOnDisk();
  for (const { name, problems } of checks) await steps.run(name, () => problems(workspace));
  const built = await steps.run("build", compile);
  await steps.run("lint", checkLint);
  rmSync(report, { force: true });
  if (!built) return;
  mkdirSync(join(repositoryRoot, ".cache"), { recursive: true });
  await runVitest(["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]);
}

async function runVitest(extra) {
  const problems = await runProgram("vitest", ["run", ...extra]);
  if (problems.length > 0) steps.failed.push("tests");
}
