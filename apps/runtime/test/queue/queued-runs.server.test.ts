import { databaseOf } from "../harness/database-state.ts";
import { queuedRunsSuite } from "./support/queued-runs-suite.ts";

queuedRunsSuite(({ base }) => {
  const { url, schema } = databaseOf(base);
  const address = new URL(url);
  address.searchParams.set("schema", schema);
  return { BASIS_STORE: address.href };
});
