import { describe } from "vitest";
import { breakGuards } from "./break-guards.ts";
import { WAYS_TO_END } from "./ways-to-end.ts";
import { waysToPrint } from "./ways-to-print.ts";
import { waysToStart } from "./ways-to-start.ts";

describe("a one-shot hook that breaks denies by name, wherever it stands", () => {
  // H25, H26, H27, H61-H66, H70, S40
  breakGuards("process", [...waysToStart("process"), ...WAYS_TO_END, ...waysToPrint("process")]);
});
