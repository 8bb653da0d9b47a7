// `npm test`: the checks from the cheapest on, the build, the linter, then vitest, whose summary stands last.
// With arguments only the build and vitest run: `npm test -- --project @basis/hooks`.
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
  if (built) await runTests([], counts);
}

async function runTests(extra, path) {
  if (!(await runVitest(extra, path))) steps.failed.push("tests");
}
