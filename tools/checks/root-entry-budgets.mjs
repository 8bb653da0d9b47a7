// What a root entry may cost. Raising a line needs its reason in the commit; lowering one needs none.

/** Own modules that a packed root entry may load. */
export const rootModuleLimit = 13;

const values = 12;

/** Bytes count the siblings that come along, and leave about a tenth of room. */
const budgets = new Map([
  // core is no block: it is the shared vocabulary, so it exports more names than a block may.
  ["@basis/core", { values: 24, gzipBytes: 6_000 }],
  ["@basis/hooks", { values, gzipBytes: 9_600 }],
  // With the readers and the tables of differences of six dialects, and core's strict JSON; hooks comes along as types only.
  ["@basis/hook-dialects", { values, gzipBytes: 13_500 }],
  // With the check of command patterns (a rule is refused where it is kept) and the index that finds one among a thousand, by fields too.
  ["@basis/approval", { values, gzipBytes: 13_400 }],
  ["@basis/child-policy", { values, gzipBytes: 8_800 }],
  ["@basis/typed-output", { values, gzipBytes: 11_000 }],
  // The memory store takes sessions in and hands them out, and has upkeep; bundles themselves are an entry of their own.
  ["@mobkit/session", { values, gzipBytes: 23_000 }],
  // With the whole of session: the store shares its rules. It asks SQLite who has a file open, and what later release migrated it.
  ["@mobkit/session-sqlite", { values, gzipBytes: 47_500 }],
  ["@mobkit/session-postgres", { values, gzipBytes: 46_000 }],
  // With the ways of a store that tells a source in one look and of one that does not.
  ["@mobkit/fork", { values, gzipBytes: 12_700 }],
]);

/** What a package may cost that has no line yet. */
const unlisted = { values, gzipBytes: 8_000 };

/** @returns {{ values: number, gzipBytes: number }} */
export function budgetOf(name) {
  return budgets.get(name) ?? unlisted;
}
