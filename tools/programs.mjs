// The programs that the test, check and CI commands share, each with the arguments it always gets here.
import { budgetProblems, buildConsole } from "./console-build.mjs";
import { runProgram } from "./steps.mjs";

export function checkFormat() {
  return runProgram("oxfmt", ["--config", ".oxfmtrc.json", "--check", "."], { quiet: true });
}

export function checkLint() {
  return runProgram("oxlint", ["--type-aware", "--config", ".oxlintrc.json"], { quiet: true });
}

/** Docs keep TypeScript 6 for typedoc, beside the workspace's TypeScript 7. */
export function checkVersions() {
  return runProgram("sherif", ["--ignore-dependency", "typescript"], { quiet: true });
}

export function checkUnused() {
  return runProgram("knip", ["--no-progress", "--no-config-hints"], { quiet: true });
}

/** The packages, their tests, these tools (whose types stand in comments), and the host's page within its budget. */
export async function compile() {
  const problems = await runProgram("tsc", ["-b", ".", "tools"], { quiet: true });
  return problems.length > 0 ? problems : budgetProblems(await buildConsole());
}
