import { claude } from "./claude.ts";
import type { Dialect, DialectName } from "./dialect.ts";

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([[claude.name, claude]]);

/** The dialects that are read. */
export const DIALECT_NAMES: readonly DialectName[] = Object.freeze(
  [...DIALECTS.values()].map(({ name }) => name),
);

/** The protocol of a dialect; undefined for a name that is none. */
export function findDialect(name: string): Dialect | undefined {
  return DIALECTS.get(name);
}
