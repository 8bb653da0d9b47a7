// Examples that need a database find it where the tests do: BASIS_TEST_POSTGRES_URL, else a server of their own.
import { PostgresServer } from "../packages/session-postgres/test/server/postgres-server.mjs";

/**
 * Runs an example while it finds what it needs.
 * @param {string} path Of the example, from the root.
 * @param {() => Promise<string[]>} run
 * @returns {Promise<string[]>} its problems; none for one that is left out.
 */
export async function withDatabase(path, run) {
  if (!path.startsWith("examples/session-postgres/")) return run();
  if (process.env.BASIS_TEST_WITHOUT_POSTGRES === "1") {
    process.stderr.write(`BASIS_TEST_WITHOUT_POSTGRES=1: ${path} is not run\n`);
    return [];
  }
  if (process.env.BASIS_TEST_POSTGRES_URL) return run();
  const server = await PostgresServer.start();
  process.env.BASIS_TEST_POSTGRES_URL = server.url;
  try {
    return await run();
  } finally {
    delete process.env.BASIS_TEST_POSTGRES_URL;
    await server.dispose();
  }
}
