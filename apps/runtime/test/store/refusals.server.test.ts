import { expect, test } from "vitest";
import { checkDatabase } from "../../src/doctor/check-database.ts";
import { openEngineQueue } from "../../src/queue/engine/engine-queue.ts";
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
  await expect(refusal).rejects.toThrow(
    /may not read and write .*runtime_event[^]*GRANT SELECT, INSERT, UPDATE, DELETE/,
  );
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

test("a queue's schema without rights, or of another program, is refused at start with what its owner is to do", async () => {
  const { place, owner } = await ownPlace("queue rights");
  const schema = `${place.schema}_q`;
  const user = `queuer_${place.schema}`;
  await owner(`CREATE ROLE "${user}" LOGIN`);
  const url = new URL(place.url);
  url.username = user;
  const open = async (): Promise<void> => (await openEngineQueue({ url: url.href, schema })).close();
  const refused = (reason: string, remedy: string): Promise<void> =>
    expect(open()).rejects.toMatchObject({
      code: "engine_refused",
      message: expect.stringContaining(reason),
      details: { remedy: expect.stringContaining(remedy) },
    });
  await refused("does not exist", `CREATE SCHEMA ${schema} AUTHORIZATION ${user}`);
  await owner(`CREATE SCHEMA ${schema}`);
  await refused("may not use", `GRANT USAGE ON SCHEMA ${schema}`);
  await owner(`GRANT USAGE ON SCHEMA ${schema} TO "${user}"`);
  await refused("may not make tables", `GRANT CREATE ON SCHEMA ${schema}`);
  await owner(`CREATE TABLE ${schema}.mine (a text)`);
  await refused("holds tables of another program", "?schema=NAME");
  await owner(`DROP TABLE ${schema}.mine`);
  await (await openEngineQueue({ url: place.url, schema })).close();
  await refused(
    "may not read and write application_versions",
    `ON ALL TABLES IN SCHEMA ${schema} TO ${user}`,
  );
  await owner(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO "${user}"`);
  await open();
  await owner(`DROP SCHEMA ${schema} CASCADE`);
  await owner(`DROP OWNED BY "${user}"`);
  await owner(`DROP ROLE "${user}"`);
});

test("a user who may not take numbers is refused as well; one who may everything opens", async () => {
  const { place, owner } = await ownPlace("numbers");
  const user = `number_${place.schema}`;
  await owner(`CREATE ROLE "${user}" LOGIN`);
  await owner(`GRANT USAGE ON SCHEMA "${place.schema}" TO "${user}"`);
  await owner(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${place.schema}" TO "${user}"`);
  const url = new URL(place.url);
  url.username = user;
  const open = async (): Promise<void> => (await openDatabase({ ...place, url: url.href })).close();
  await expect(open()).rejects.toThrow(/session_key_seq[^]*GRANT USAGE ON ALL SEQUENCES/);
  await owner(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA "${place.schema}" TO "${user}"`);
  await open();
  await owner(`DROP OWNED BY "${user}"`);
  await owner(`DROP ROLE "${user}"`);
});
