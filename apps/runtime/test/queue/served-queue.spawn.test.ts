import { describe } from "vitest";
import { servedQueueSuite } from "./support/served-queue-suite.ts";

describe("a server whose queue lies in the files of one machine", () => {
  servedQueueSuite(() => ({}));
});
