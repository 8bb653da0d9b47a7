import { inAnyWords } from "./any-words.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { cursor } from "./cursor.ts";
import type { Dialect, DialectName, Difference } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { windsurf } from "./windsurf.ts";

const DIALECTS: ReadonlyMap<string, Dialect> = new Map(
  [claude, gemini, codex, cursor, copilot, windsurf].map((dialect) => [dialect.name, inAnyWords(dialect)]),
);

/** The dialects that are read. */
export const DIALECT_NAMES: readonly DialectName[] = Object.freeze(
  [...DIALECTS.values()].map(({ name }) => name),
);

/** The protocol of a dialect; undefined for a name that is none. */
export function findDialect(name: string): Dialect | undefined {
  return DIALECTS.get(name);
}

/** Where `hardened` decides otherwise than the vendor, one line a case. Rows with an `example` are tested by it. */
export function differencesOf(dialect: DialectName): readonly Difference[] {
  return findDialect(dialect)?.differences ?? [];
}
