import type { DialectName, Difference } from "./bridge/dialect.ts";
import { findDialect } from "./bridge/dialects.ts";

/** Where `hardened` decides otherwise than the vendor, one line a case. Rows with an `example` are tested by it. */
export function differencesOf(dialect: DialectName): readonly Difference[] {
  return findDialect(dialect)?.differences ?? [];
}
