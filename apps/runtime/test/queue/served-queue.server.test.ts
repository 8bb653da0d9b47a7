import { describe } from "vitest";
import { databaseStore } from "./support/database-store.ts";
import { servedQueueSuite } from "./support/served-queue-suite.ts";

describe("a server whose queue lies in a database", () => {
  servedQueueSuite(databaseStore);
});
