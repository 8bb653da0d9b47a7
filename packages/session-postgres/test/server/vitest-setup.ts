// Vitest's global setup of the project "postgres": the database that its tests share, each in schemas of its own.
import { randomBytes } from "node:crypto";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { PostgresServer } from "./postgres-server.mjs";

/** The database and how the names of its test schemas begin, or why there is none: then every test of the project fails with it. */
export type TestDatabase =
  | { readonly url: string; readonly schemaPrefix: string }
  | { readonly problem: string };

declare module "vitest" {
  interface ProvidedContext {
    postgres: TestDatabase;
  }
}

/** `BASIS_TEST_POSTGRES_URL` and no other variable, so that no suite ever touches a developer's database. */
export async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const schemaPrefix = `test_${randomBytes(3).toString("hex")}_`;
  const given = process.env["BASIS_TEST_POSTGRES_URL"];
  if (given) {
    provide("postgres", { url: given, schemaPrefix });
    return () => dropSchemas(given, schemaPrefix);
  }
  try {
    const server = await PostgresServer.start();
    provide("postgres", { url: server.url, schemaPrefix });
    return () => server.dispose();
  } catch (error) {
    provide("postgres", { problem: problemOf(error) });
    return undefined;
  }
}

/** A database that is somebody's keeps nothing of this run. */
async function dropSchemas(url: string, prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query("SELECT nspname FROM pg_namespace WHERE starts_with(nspname, $1)", [
      prefix,
    ]);
    for (const { nspname } of rows as { nspname: string }[]) {
      await client.query(`DROP SCHEMA ${client.escapeIdentifier(nspname)} CASCADE`);
    }
  } finally {
    await client.end();
  }
}

function problemOf(error: unknown): string {
  return [
    `no PostgreSQL to test against: ${error instanceof Error ? error.message : String(error)}`,
    "Set BASIS_TEST_POSTGRES_URL, or install Debian's package (apt-get install postgresql),",
    "or leave these tests out with BASIS_TEST_WITHOUT_POSTGRES=1.",
  ].join("\n");
}
