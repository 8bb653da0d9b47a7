// Random changes, answers and replays between approvals and their executions; what ran must be what was approved.
// `--seed N` chooses the cases (default: at random), `--runs N` how many, `--from N` the first of them.
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const name = "approved-is-executed";
const root = fileURLToPath(new URL("../../../", import.meta.url));
const defaults = { seed: randomInt(2 ** 31), from: 0, runs: 50_000 };

/** @returns {Record<string, number> | undefined} */
function readNumbers() {
  const text = { type: /** @type {const} */ ("string") };
  const options = { long: { type: /** @type {const} */ ("boolean") }, seed: text, from: text, runs: text };
  try {
    const { values } = parseArgs({ options });
    const entries = Object.entries(defaults).map(([key, byDefault]) => [
      key,
      Number(values[key] ?? byDefault),
    ]);
    const wrong = entries.find(([, number]) => !Number.isSafeInteger(number) || number < 0);
    if (wrong !== undefined) throw new RangeError(`--${wrong[0]} needs a whole number`);
    return Object.fromEntries(entries);
  } catch (error) {
    process.stderr.write(`${name}: ${error.message}\n`);
    process.exitCode = 2;
    return undefined;
  }
}

const numbers = readNumbers();
if (numbers !== undefined) {
  const { seed, from, runs } = numbers;
  const repeat = `npm run campaign -- ${name} --seed ${seed} --from ${from} --runs ${runs}`;
  process.stdout.write(`${name}: ${runs} cases; to repeat: ${repeat}\n`);
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const { status } = spawnSync(
    process.execPath,
    [vitest, "run", "--project", "@basis/approval", `test/campaign/${name}.test.ts`],
    {
      cwd: root,
      env: {
        ...process.env,
        BASIS_CAMPAIGN_SEED: String(seed),
        BASIS_CAMPAIGN_FROM: String(from),
        BASIS_CAMPAIGN_RUNS: String(runs),
      },
      stdio: "inherit",
    },
  );
  process.exitCode = status === 0 ? 0 : 1;
}
