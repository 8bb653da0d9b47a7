import { createHash } from "node:crypto";
import { inject } from "vitest";
import type { HostState } from "../../src/store/open-state.ts";
import { openPostgresState, type PostgresStateOptions } from "../../src/store/postgres/postgres-state.ts";

/** What the project "postgres" provides: a database, or why it has none. */
type TestDatabase = { readonly url: string; readonly schemaPrefix: string } | { readonly problem: string };

const provided = inject("postgres" as never) as TestDatabase | undefined;

/** True in the project that has a database. */
export const hasDatabase: boolean = provided !== undefined;

function database(): Exclude<TestDatabase, { problem: string }> {
  if (provided === undefined) throw new Error("this test runs in the project postgres alone");
  if ("problem" in provided) throw new Error(provided.problem);
  return provided;
}

/** The database of the tests, and the schema in it that belongs to a name. */
export function databaseOf(name: string): { readonly url: string; readonly schema: string } {
  const { url, schemaPrefix } = database();
  return { url, schema: `${schemaPrefix}${createHash("sha256").update(name).digest("hex").slice(0, 16)}` };
}

/** How a database is reached: straight, unless a URL is given. */
export type DatabaseWay = Partial<Pick<PostgresStateOptions, "limits" | "gatherMs" | "nearMs">> & {
  readonly url?: string;
};

/** A state in the schema that belongs to a name; opened again under the same name it is the same. */
export function openDatabaseState(
  name: string,
  { url, ...options }: Partial<PostgresStateOptions> & DatabaseWay = {},
): Promise<HostState> {
  const place = databaseOf(name);
  return openPostgresState(url ?? place.url, {
    schema: place.schema,
    limits: { maxConnections: 4 },
    ...options,
  });
}

/** A namespace by which a test runs SQL that no host would. */
const operator = {
  name: "test",
  migrations: [
    `CREATE FUNCTION test_run(statement text) RETURNS void LANGUAGE plpgsql AS $body$ BEGIN EXECUTE statement; END $body$`,
  ],
};

/** Runs SQL in a state's schema as its operator might. */
export async function asOperator({ database }: HostState, sql: string): Promise<void> {
  await (await database!.store.extend(operator)).statement("SELECT test_run($1)", [sql]);
}

/** Tables of a state's schema in which a text of ASCII stands, in whichever column. */
export async function tablesWith(name: string, text: string): Promise<readonly string[]> {
  const state = await openDatabaseState(name);
  try {
    const { store } = state.database!;
    const any = await store.extend(operator);
    const tables = await any.statement("SELECT tablename AS name FROM pg_tables WHERE schemaname = $1", [
      store.schema,
    ]);
    const found: string[] = [];
    for (const { name: table } of tables) {
      const has = `SELECT 1 FROM "${String(table)}" AS row WHERE strpos(row::text, $1) > 0 OR strpos(row::text, $2) > 0 LIMIT 1`;
      const rows = await any.statement(has, [text, Buffer.from(text).toString("hex")]);
      if (rows.length > 0) found.push(String(table));
    }
    return found;
  } finally {
    await state.close();
  }
}
