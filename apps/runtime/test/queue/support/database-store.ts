import { databaseOf } from "../../harness/database-state.ts";
import type { StoreOf } from "./queued-runs-suite.ts";

/** A schema of the tests' database for each bench. */
export const databaseStore: StoreOf = ({ base }) => {
  const { url, schema } = databaseOf(base);
  const address = new URL(url);
  address.searchParams.set("schema", schema);
  return { BASIS_STORE: address.href };
};
