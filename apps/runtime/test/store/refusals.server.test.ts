import { expect, test } from "vitest";
import { checkDatabase } from "../../src/doctor/check-database.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { asOperator, databaseOf } from "../harness/database-state.ts";

const { signal } = new AbortController();

/** The place of a database that the test alone uses, and SQL on it as its owner. */
async function ownPlace(name: string) {
  const { url, schema } = databaseOf(`${name} ${process.pid} ${Date.now()}`);
  const place = { url, schema, name: "the test's" };
  await (await openDatabase(place)).close();
  const owner = async (sql: string): Promise<void> => {
    const state = await openDatabase(place);
    await asOperator(state, sql).finally(() => state.close());
  };
  return { place, owner };
}

const fixes = async (place: Parameters<typeof checkDatabase>[0]): Promise<readonly string[]> =>
  (await checkDatabase(place, signal)).flatMap(({ level, fix }) => (level === "problem" ? [fix!] : []));

test("a user who may look and not write is refused at start, and doctor names the tables", async () => {
  const { place, owner } = await ownPlace("reader");
  const reader = `reader_${place.schema}`;
  await owner(`CREATE ROLE "${reader}" LOGIN`);
  await owner(`GRANT USAGE ON SCHEMA "${place.schema}" TO "${reader}"`);
  await owner(`GRANT SELECT ON ALL TABLES IN SCHEMA "${place.schema}" TO "${reader}"`);
  const url = new URL(place.url);
  url.username = reader;
  const asReader = { ...place, url: url.href };
  const refusal = openDatabase(asReader);
  await expect(refusal).rejects.toMatchObject({ code: "store", exitCode: 5 });
  await expect(refusal).rejects.toThrow(/may not read and write the tables .*runtime_event[^]*CREATE SCHEMA/);
  expect((await fixes(asReader)).join()).toContain("GRANT SELECT, INSERT, UPDATE, DELETE");
  await owner(`DROP OWNED BY "${reader}"`);
  await owner(`DROP ROLE "${reader}"`);
});

test("a store of a later release is refused at start, its own tables' and the host's, and nothing is changed", async () => {
  const { place, owner } = await ownPlace("later");
  expect(await fixes(place)).toEqual([]);
  await owner("UPDATE store_extension SET version = version + 1 WHERE name = 'runtime'");
  await expect(openDatabase(place)).rejects.toThrow(
    /newer than[^]*use the release that wrote it, or a later one/,
  );
  expect(await fixes(place)).toEqual(["use the later release that wrote it, on every machine"]);
});
