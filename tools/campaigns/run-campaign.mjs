// Runs the long form of a test whose cases follow from a seed.
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Runs a campaign and sets the exit code: 0 when every case held, 1 when one did not, 2 for wrong arguments.
 * `--seed N` chooses the cases (default: at random), `--runs N` how many, `--from N` the first of them.
 * @param {{ name: string, project: string, test: string, titled?: string, longRuns: number }} campaign `titled` selects tests
 *   of the file.
 */
export function runCampaign({ name, project, test, titled, longRuns }) {
  const numbers = readNumbers(name, { seed: randomInt(2 ** 31), from: 0, runs: longRuns });
  if (numbers === undefined) return;
  const { seed, from, runs } = numbers;
  const repeat = `npm run campaign -- ${name} --seed ${seed} --from ${from} --runs ${runs}`;
  process.stdout.write(`${name}: ${runs} cases; to repeat: ${repeat}\n`);
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const env = {
    ...process.env,
    BASIS_CAMPAIGN_SEED: String(seed),
    BASIS_CAMPAIGN_FROM: String(from),
    BASIS_CAMPAIGN_RUNS: String(runs),
  };
  const titles = titled === undefined ? [] : ["--testNamePattern", titled];
  const args = [vitest, "run", "--project", project, test, ...titles];
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" });
  process.exitCode = status === 0 ? 0 : 1;
}

/** @returns {Record<string, number> | undefined} */
function readNumbers(name, defaults) {
  const text = { type: /** @type {const} */ ("string") };
  const options = { long: { type: /** @type {const} */ ("boolean") }, seed: text, from: text, runs: text };
  try {
    const { values } = parseArgs({ options });
    return Object.fromEntries(
      Object.entries(defaults).map(([key, byDefault]) => [key, wholeNumber(key, values[key] ?? byDefault)]),
    );
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
    return undefined;
  }
}

function wholeNumber(key, value) {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new RangeError(`--${key} needs a whole number, not "${value}"`);
  return number;
}
