// Vitest, started from here so that a run leaves its counts behind and still ends with vitest's own summary.
// `node tools/run-vitest.mjs COUNTS.json [vitest arguments]`
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseCLI, startVitest } from "vitest/node";
import { openMemoryFolder } from "./memory-folder.mjs";

/**
 * Runs vitest once in this process, which gets exit code 1 when a test fails.
 * @param {string[]} args As after `vitest run`.
 * @param {string} countsPath Where `{ passed, failed, skipped }` goes; no file is left when the run breaks off.
 * @returns {Promise<boolean>} whether everything passed.
 */
export async function runVitest(args, countsPath) {
  rmSync(countsPath, { force: true });
  const { filter, options } = parseCLI(["vitest", "run", ...args]);
  // The command line's spelling would win over the list below.
  const { reporter = ["default"], ...rest } = /** @type {Record<string, any>} */ (options);
  const reporters = [...reporter, countingReporter(countsPath)];
  const folder = openMemoryFolder();
  try {
    const vitest = await startVitest("test", filter, { ...rest, run: true, watch: false, reporters });
    await vitest.close();
  } finally {
    folder?.remove();
  }
  return !process.exitCode;
}

function countingReporter(countsPath) {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      const empty = modules.filter(isEmpty);
      for (const { moduleId } of empty) process.stderr.write(`no test in ${moduleId}\n`);
      if (empty.length > 0) process.exitCode = 1;
      const counts = countTests(modules, unhandledErrors.length);
      mkdirSync(dirname(countsPath), { recursive: true });
      writeFileSync(countsPath, JSON.stringify(counts));
    },
  };
}

/** A file whose tests were all registered elsewhere tests nothing, and vitest says nothing of it. */
const isEmpty = (module) => module.errors().length === 0 && [...module.children.allTests()].length === 0;

/**
 * Sums up test modules; one that broke outside its tests counts as a failure, and so do one without any and an error outside
 * of all.
 */
export function countTests(modules, unhandledErrors) {
  const counts = { passed: 0, failed: unhandledErrors, skipped: 0 };
  for (const module of modules) {
    if (module.errors().length > 0 || isEmpty(module)) counts.failed += 1;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      counts[state === "pending" ? "failed" : state] += 1;
    }
  }
  return counts;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [countsPath, ...args] = process.argv.slice(2);
  await runVitest(args, countsPath ?? ".cache/vitest.json");
}
