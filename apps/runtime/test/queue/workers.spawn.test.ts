import { describe } from "vitest";
import { workersSuite } from "./support/workers-suite.ts";

describe("two workers on the files of one machine", () => {
  workersSuite(() => ({}));
});
