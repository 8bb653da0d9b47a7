import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { OutputStatus } from "../src/index.ts";

/** Every status, and nothing else, or this does not compile. */
const statuses = Object.keys({
  accepted: 1,
  mismatch: 1,
  rejected: 1,
  missing: 1,
  truncated: 1,
  refused: 1,
  bounded: 1,
  unsupported: 1,
  parked: 1,
  cancelled: 1,
  failed: 1,
} satisfies Record<OutputStatus, 1>);

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");

it("the README's table has a row for every status, with a test that shows it", () => {
  const rows = [...readme.matchAll(/^\| [^|]+ \| `(\w+)`[^|]* \| `([\w./-]+\.test\.ts)` \|$/gm)];
  expect(rows).toHaveLength(statuses.length);
  expect(new Set(rows.map(([, status]) => status))).toEqual(new Set(statuses));
  const unshown = rows.filter(([, status = "", file = ""]) => {
    const text = readFileSync(join(import.meta.dirname, file), "utf8");
    return !text.includes(`"${status}"`);
  });
  expect(unshown).toEqual([]);
});
