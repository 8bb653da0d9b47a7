/** Choices that a seed and a number of a case repeat. */
export interface Choices {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/** Source: the constants of a linear congruential generator from Numerical Recipes, and a mix of its high bits. */
export function choicesOf(seed: number, index: number): Choices {
  let state = (Math.imul(seed, 2_654_435_761) ^ Math.imul(index + 1, 40_503)) >>> 0;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const mixed = (state ^ (state >>> 15)) >>> 0;
    return Math.floor((mixed / 2 ** 32) * limit);
  };
  for (let round = 0; round < 4; round += 1) below(2);
  return { below, pick: (items) => items[below(items.length)]! };
}

/** How much of the campaign runs: the short form, unless its command says otherwise. */
export function campaignSize(shortRuns: number): { seed: number; from: number; runs: number } {
  const { BASIS_CAMPAIGN_SEED: seed, BASIS_CAMPAIGN_FROM: from, BASIS_CAMPAIGN_RUNS: runs } = process.env;
  return { seed: Number(seed ?? 1), from: Number(from ?? 0), runs: Number(runs ?? shortRuns) };
}
