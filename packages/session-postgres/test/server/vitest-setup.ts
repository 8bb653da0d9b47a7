// Vitest's global setup of the project "postgres": the database that its tests share, each in schemas of its own.
import type { TestProject } from "vitest/node";
import { PostgresServer } from "./postgres-server.mjs";

/** The database, or why there is none: then every test of the project fails with it. */
export type TestDatabase = { readonly url: string } | { readonly problem: string };

declare module "vitest" {
  interface ProvidedContext {
    postgres: TestDatabase;
  }
}

/** `BASIS_TEST_POSTGRES_URL` and no other variable, so that no suite ever touches a developer's database. */
export async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env["BASIS_TEST_POSTGRES_URL"];
  if (given) {
    provide("postgres", { url: given });
    return undefined;
  }
  try {
    const server = await PostgresServer.start();
    provide("postgres", { url: server.url });
    return () => server.dispose();
  } catch (error) {
    provide("postgres", { problem: problemOf(error) });
    return undefined;
  }
}

function problemOf(error: unknown): string {
  return [
    `no PostgreSQL to test against: ${error instanceof Error ? error.message : String(error)}`,
    "Set BASIS_TEST_POSTGRES_URL, or install Debian's package (apt-get install postgresql),",
    "or leave these tests out with BASIS_TEST_WITHOUT_POSTGRES=1.",
  ].join("\n");
}
