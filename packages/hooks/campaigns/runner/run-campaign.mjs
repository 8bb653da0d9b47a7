// Runs the long form of a test whose cases follow from a seed.
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/**
 * Runs a campaign and sets the exit code: 0 when every case held, 1 when one did not, 2 for wrong arguments.
 * `--seed N` chooses the cases (default: at random), `--runs N` how many, `--from N` the first of them.
 * @param {{ name: string, test: string, titled: string, longRuns: number }} campaign `titled` selects the tests of the file.
 */
export function runCampaign({ name, test, titled, longRuns }) {
  const numbers = readNumbers(name, { seed: randomInt(2 ** 31), from: 0, runs: longRuns });
  if (numbers === undefined) return;
  const { seed, from, runs } = numbers;
  const repeat = `npm run campaign -- ${name} --seed ${seed} --from ${from} --runs ${runs}`;
  process.stdout.write(`${name}: ${runs} cases; to repeat: ${repeat}\n`);
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const args = [vitest, "run", "--project", "@basis/hooks", test, "--testNamePattern", titled];
  const env = {
    ...process.env,
    BASIS_CAMPAIGN_SEED: String(seed),
    BASIS_CAMPAIGN_FROM: String(from),
    BASIS_CAMPAIGN_RUNS: String(runs),
  };
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: "inherit" });
  process.exitCode = status === 0 ? 0 : 1;
}

function readNumbers(name, defaults) {
  const number = { type: /** @type {const} */ ("string") };
  const options = {
    long: { type: /** @type {const} */ ("boolean") },
    seed: number,
    from: number,
    runs: number,
  };
  try {
    const { values } = parseArgs({ options });
    return Object.fromEntries(
      Object.entries(defaults).map(([key, byDefault]) => [key, wholeNumber(key, values[key] ?? byDefault)]),
    );
  } catch (error) {
    process.stderr.write(`${name}: ${error.message}\n`);
    process.exitCode = 2;
    return undefined;
  }
}

function wholeNumber(key, value) {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0 || value === "") {
    throw new RangeError(`--${key} needs a whole number, not "${value}"`);
  }
  return number;
}
