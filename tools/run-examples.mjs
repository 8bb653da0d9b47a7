// Runs every example, each as its own process. An example asserts what it shows and exits non-zero when that does not hold.
import { dirname, join } from "node:path";
import { PostgresServer } from "../packages/session-postgres/test/server/postgres-server.mjs";
import { runProgram, Steps } from "./steps.mjs";
import { workspaceOnDisk } from "./workspace.mjs";

const workspace = workspaceOnDisk();
const withoutPostgres = process.env.BASIS_TEST_WITHOUT_POSTGRES === "1";
const steps = new Steps();
const examples = workspace.files
  .filter((path) => /^examples\/[^/]+\/[^/]+\.mjs$/.test(path))
  .filter((path) => !(withoutPostgres && onPostgres(path)));
const database = examples.some(onPostgres) ? await startDatabase() : undefined;
for (const path of examples)
  await steps.run(path, () =>
    runProgram(process.execPath, [join(workspace.root, path)], {
      quiet: true,
      cwd: join(workspace.root, dirname(path)),
    }),
  );
await database?.dispose();
if (examples.length === 0) steps.failed.push("there is no example");
steps.finish();

function onPostgres(path) {
  return path.startsWith("examples/session-postgres/");
}

/** The examples find the database where the tests do. */
async function startDatabase() {
  if (process.env.BASIS_TEST_POSTGRES_URL) return undefined;
  const server = await PostgresServer.start();
  process.env.BASIS_TEST_POSTGRES_URL = server.url;
  return server;
}
