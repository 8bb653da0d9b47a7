// What a root entry may cost. Raising a line needs its reason in the commit; lowering one needs none.

const block = { modules: 13, values: 12, gzipBytes: 8_000 };

const budgets = new Map([
  // core is no block: it is the shared vocabulary, so it exports more names than a block may.
  ["@basis/core", { modules: 13, values: 24, gzipBytes: 4_000 }],
]);

/** @returns {{ modules: number, values: number, gzipBytes: number }} */
export function budgetOf(name) {
  return budgets.get(name) ?? block;
}
