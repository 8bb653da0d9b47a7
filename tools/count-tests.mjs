// `node tools/count-tests.mjs COUNTS.json`: prints how many tests of a run passed and failed, as two numbers.
// Without the file the run did not finish: that is one failure.
import { existsSync, readFileSync } from "node:fs";

const path = process.argv[2] ?? "";
const { passed, failed } = existsSync(path)
  ? JSON.parse(readFileSync(path, "utf8"))
  : { passed: 0, failed: 1 };
process.stdout.write(`${passed} ${failed}\n`);
