import { afterAll } from "vitest";
import { secrets } from "../../src/secrets/secrets.ts";

// Files share their modules. A secret of one file would hold back what the next one streams, wherever that may begin it.
afterAll(() => secrets.clear());
