// `npm run check`: every check without the tests. `npm run check -- NAME…` runs some; `-- --write` rewrites README blocks.
import { checks } from "./checks/index.mjs";
import { writeNumbers } from "./checks/readme-numbers.mjs";
import { writeSnippets } from "./checks/snippets.mjs";
import { checkFormat, checkLint, checkUnused, checkVersions } from "./programs.mjs";
import { Steps } from "./steps.mjs";
import { workspaceOnDisk } from "./workspace.mjs";

const args = process.argv.slice(2);
const named = args.filter((arg) => !arg.startsWith("--"));
const unknown = named.filter((name) => !checks.some((check) => check.name === name));

if (unknown.length > 0) {
  process.stderr.write(
    `No check is named "${unknown[0]}"; there are: ${checks.map((one) => one.name).join(", ")}\n`,
  );
  process.exitCode = 2;
} else {
  if (args.includes("--write")) await rewrite();
  await runChecks();
}

async function rewrite() {
  const snippets = writeSnippets(workspaceOnDisk());
  const numbers = await writeNumbers(workspaceOnDisk());
  for (const path of new Set([...snippets, ...numbers])) process.stdout.write(`rewrote ${path}\n`);
}

async function runChecks() {
  const steps = new Steps();
  const workspace = workspaceOnDisk();
  if (named.length === 0) {
    await steps.run("format", checkFormat);
    await steps.run("versions (sherif)", checkVersions);
  }
  for (const { name, problems } of checks)
    if (named.length === 0 || named.includes(name)) await steps.run(name, () => problems(workspace));
  if (named.length === 0) {
    await steps.run("lint", checkLint);
    await steps.run("unused (knip)", checkUnused);
  }
  steps.finish();
}
