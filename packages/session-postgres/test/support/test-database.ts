import { randomBytes } from "node:crypto";
import type { ModelMessage } from "@mobkit/session";
import pg from "pg";
import { inject, onTestFinished } from "vitest";
import type { TestDatabase } from "../server/vitest-setup.ts";
import { openPostgresStore, type PostgresStore, type PostgresStoreOptions } from "../../src/index.ts";

function database(): Exclude<TestDatabase, { problem: string }> {
  const provided: TestDatabase = inject("postgres");
  if ("problem" in provided) throw new Error(provided.problem);
  return provided;
}

/** The database of the project's tests. */
export function databaseUrl(): string {
  return database().url;
}

/** The name of a schema that nobody else uses; it is removed after the run, if the database lasts longer. */
export function freshSchema(): string {
  return database().schemaPrefix + randomBytes(8).toString("hex");
}

/** Runs SQL as an operator would, on a connection of its own. */
export async function runSql(
  sql: string,
  options: { readonly url?: string; readonly schema?: string; readonly values?: readonly unknown[] } = {},
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: options.url ?? databaseUrl() });
  await client.connect();
  try {
    if (options.schema !== undefined) await client.query(`SET search_path = "${options.schema}"`);
    const { rows } = await client.query(sql, options.values as unknown[] | undefined);
    return rows;
  } finally {
    await client.end();
  }
}

/** Removes a schema with all that is in it. */
export async function dropSchema(schema: string, url?: string): Promise<void> {
  await runSql(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`, url === undefined ? {} : { url });
}

type Options = PostgresStoreOptions<ModelMessage> & { readonly shape?: undefined; readonly url?: string };

/** An open store in a schema of its own; closed when the test has ended. */
export async function temporaryStore(options: Options = {}): Promise<PostgresStore<ModelMessage>> {
  const { url = databaseUrl(), schema = freshSchema(), ...rest } = options;
  const store = await openPostgresStore(url, { ...rest, schema });
  onTestFinished(() => store.close());
  return store;
}

/** A session of a new member, with its lease. */
export async function leasedSession(store: PostgresStore<ModelMessage>, member = "planner") {
  const session = await store.createSession({ member, role: "general" });
  const lease = await store.acquireLease(session.id, { owner: "test", ttlMs: 60_000 });
  return { id: session.id, lease };
}

/** A user's message. */
export function says(text: string): ModelMessage {
  return { role: "user", content: text };
}
