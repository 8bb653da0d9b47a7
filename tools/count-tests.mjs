// `node tools/count-tests.mjs REPORT`: how many tests of a vitest JSON report passed and failed, as two numbers.
// A missing or broken report counts as one failure: the run that should have written it did not finish.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** @returns {{ passed: number, failed: number }} A file that failed before its tests ran counts as one failure. */
export function countTests(text) {
  try {
    const report = JSON.parse(text);
    const broken = report.testResults.filter(
      (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
    );
    return { passed: report.numPassedTests, failed: report.numFailedTests + broken.length };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let text = "";
  try {
    text = readFileSync(process.argv[2], "utf8");
  } catch {
    // No report: counted as one failure.
  }
  const { passed, failed } = countTests(text);
  process.stdout.write(`${passed} ${failed}\n`);
}
