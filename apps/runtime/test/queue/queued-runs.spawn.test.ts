import { describe } from "vitest";
import { queuedRunsSuite } from "./support/queued-runs-suite.ts";

describe("a queue in the files of one machine", () => {
  queuedRunsSuite(() => ({}));
});
