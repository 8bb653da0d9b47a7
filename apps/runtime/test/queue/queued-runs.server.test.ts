import { describe } from "vitest";
import { databaseStore } from "./support/database-store.ts";
import { queuedRunsSuite } from "./support/queued-runs-suite.ts";

describe("a queue in a database", () => {
  queuedRunsSuite(databaseStore);
});
