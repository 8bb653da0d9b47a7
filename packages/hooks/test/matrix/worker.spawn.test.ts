import { describe } from "vitest";
import { breakGuards } from "./break-guards.ts";
import { WAYS_OF_WORKERS } from "./ways-of-workers.ts";
import { waysToPrint } from "./ways-to-print.ts";
import { waysToStart } from "./ways-to-start.ts";

describe("a hook worker that breaks denies by name, wherever it stands", () => {
  // H25, H26, H27, W2, W3, S20, S40
  breakGuards("worker", [...waysToStart("worker"), ...WAYS_OF_WORKERS, ...waysToPrint("worker")]);
});
