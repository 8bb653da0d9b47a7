import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseOf, openDatabaseState } from "../harness/database-state.ts";
import type { Running } from "../cli/support/basis-process.ts";
import { Bench } from "../cli/support/bench.ts";
import { fiftyCanaries, foundIn } from "../secrets/canaries.ts";
import { databaseStore } from "./support/database-store.ts";

const canaries = fiftyCanaries();
const text = canaries.map(({ value }) => value).join(" ");
const secrets = Object.fromEntries(canaries.map(({ name, value }) => [name, value]));

let bench: Bench;
beforeAll(() => {
  bench = new Bench();
});
afterAll(() => bench.remove());

/** All rows of every table of the bench's schema and of the engine's, whose name begins with it. */
async function everyRow(): Promise<readonly string[]> {
  const state = await openDatabaseState(bench.base, { url: databaseOf(bench.base).url });
  try {
    const sql = await state.database!.store.extend({ name: "looks", migrations: ["SELECT 1"] });
    const tables = await sql.statement(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE starts_with(schemaname, $1)",
      [databaseOf(bench.base).schema],
    );
    const rows: string[] = [];
    for (const { name } of tables)
      for (const { row } of await sql.statement(`SELECT row::text AS row FROM ${String(name)} AS row`, []))
        rows.push(`${String(name)}: ${String(row)}`);
    return rows;
  } finally {
    await state.close();
  }
}

const ofEngine = (rows: readonly string[]): readonly string[] =>
  rows.filter((row) => /^\S+\.workflow_(?:input|output): /.test(row));

async function queueTurns(env: Readonly<Record<string, string>>): Promise<string> {
  const model = bench.script([
    [
      { when: { contains: "remember" }, text: `it is ${text}` },
      { when: { contains: "fail" }, error: { code: "auth", message: `no key ${text}` } as never },
    ],
  ]);
  const given = { env: { ...env, ...databaseStore(bench) } };
  const worker: Running = bench.start(["worker", "--lease", "2s", "--model", model], given);
  try {
    await worker.saw("serves");
    const ended = [];
    for (const prompt of [`remember ${text}`, `fail with ${text}`, `nothing fits ${text}`])
      ended.push(await bench.run(["run", "--queue", prompt], given));
    ended.push(
      await bench.run(["queue", "list", "--json"], given),
      await bench.run(["queue", "list"], given),
    );
    worker.kill("SIGTERM");
    ended.push(await worker.ended);
    return ended.map(({ stdout, stderr }) => `${stdout}\n${stderr}`).join("\n");
  } finally {
    worker.kill("SIGKILL");
  }
}

// S5, S36: inputs, outputs and errors of the engine's workflows among them.
test(
  "no secret is in a row of a queued turn, nor in what worker and command print",
  { timeout: 120_000 },
  async () => {
    const said = await queueTurns(secrets);
    expect(foundIn(said, canaries)).toEqual([]);
    const rows = await everyRow();
    expect(foundIn(rows.join("\n"), canaries)).toEqual([]);
    expect(ofEngine(rows).filter((row) => row.includes("[redacted CANARY_")).length).toBeGreaterThanOrEqual(
      4,
    );
  },
);

test("the positive control: not known to be secrets, they are in both", { timeout: 120_000 }, async () => {
  const said = await queueTurns({});
  expect(foundIn(said, canaries).length).toBeGreaterThan(0);
  const rows = await everyRow();
  expect(foundIn(ofEngine(rows).join("\n"), canaries).length).toBeGreaterThanOrEqual(canaries.length);
});
