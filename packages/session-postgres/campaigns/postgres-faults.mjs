// Machines that work under lost replies, killed processes, restarts and crashes of the server; what was acknowledged must
// stand once. `--seed N` chooses the cases (default: at random), `--runs N` how many, `--from N` the first of them.
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const text = /** @type {const} */ ({ type: "string" });
const { values } = parseArgs({ options: { long: { type: "boolean" }, seed: text, from: text, runs: text } });
const { seed = String(randomInt(2 ** 31)), from = "0", runs = values.long ? "200" : "2" } = values;
if (![seed, from, runs].every((number) => /^\d{1,15}$/.test(number))) {
  process.stderr.write("postgres-faults: --seed, --from and --runs are whole numbers\n");
  process.exit(2);
}
const repeat = `npm run campaign -- postgres-faults --seed ${seed} --from ${from} --runs ${runs}`;
process.stdout.write(`postgres-faults: ${runs} cases; to repeat: ${repeat}\n`);
const test = "packages/session-postgres/test/campaign/faults.server.test.ts";
const vitest = fileURLToPath(new URL("../../../node_modules/vitest/vitest.mjs", import.meta.url));
const env = {
  ...process.env,
  BASIS_CAMPAIGN_SEED: seed,
  BASIS_CAMPAIGN_FROM: from,
  BASIS_CAMPAIGN_RUNS: runs,
};
const { status } = spawnSync(process.execPath, [vitest, "run", "--project", "postgres", test], {
  cwd: root,
  env,
  stdio: "inherit",
});
process.exitCode = status === 0 ? 0 : 1;
