// What a root entry may cost. Raising a line needs its reason in the commit; lowering one needs none.

/** Own modules that a packed root entry may load. */
export const rootModuleLimit = 13;

const block = { values: 12, gzipBytes: 8_000 };

const budgets = new Map([
  // core is no block: it is the shared vocabulary, so it exports more names than a block may.
  ["@basis/core", { values: 24, gzipBytes: 4_000 }],
]);

/** @returns {{ values: number, gzipBytes: number }} */
export function budgetOf(name) {
  return budgets.get(name) ?? block;
}
