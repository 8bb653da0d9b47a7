import { describe } from "vitest";
import { databaseStore } from "./support/database-store.ts";
import { workersSuite } from "./support/workers-suite.ts";

describe("two workers on one database", () => {
  workersSuite(databaseStore);
});
