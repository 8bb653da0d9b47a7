/** How much of a campaign a run does: the short form, unless the campaign's command says otherwise. */
export interface CampaignSize {
  readonly seed: number;
  /** The number of the first case. */
  readonly from: number;
  readonly runs: number;
}

/** Reads what `npm run campaign` passes on; without it the short form, the same each time. */
export function campaignSize(shortRuns: number): CampaignSize {
  const { BASIS_CAMPAIGN_SEED: seed, BASIS_CAMPAIGN_FROM: from, BASIS_CAMPAIGN_RUNS: runs } = process.env;
  return { seed: Number(seed ?? 1), from: Number(from ?? 0), runs: Number(runs ?? shortRuns) };
}

/** A number from 0 to below 1 for each call, the same for the same seed and case (mulberry32). */
export function randomOf(seed: number, index: number): () => number {
  let state = (seed * 0x9e37_79b1 + index * 0x85eb_ca6b) >>> 0;
  return () => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
