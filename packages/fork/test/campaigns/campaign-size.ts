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

/** The command that repeats one case. */
export function reproduction(name: string, seed: number, index: number): string {
  return `npm run campaign -- ${name} --seed ${seed} --from ${index} --runs 1`;
}

/** Long enough for the long form. */
export const CAMPAIGN_TIMEOUT_MS: number = 6 * 60 * 60 * 1000;
