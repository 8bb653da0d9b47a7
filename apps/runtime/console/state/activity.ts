import { lineageRoots } from "./lineage.ts";
import type { Model, RunNode, SessionNode, Tokens } from "./model.ts";
import { noTokens, sumOfTokens } from "./tokens.ts";

/** What a whole log comes to. */
export interface Activity {
  readonly running: number;
  readonly usage: Tokens;
  /** False where a run has not ended, or knows only a part of what it used. */
  readonly isComplete: boolean;
}

/** Adds up every session. */
export function activityOf(model: Model): Activity {
  let usage = noTokens;
  let running = 0;
  let isComplete = true;
  for (const { runs } of model.sessions.values())
    for (const run of runs.values()) {
      const own = usageOf(run);
      usage = sumOfTokens(usage, own.self);
      isComplete &&= own.complete;
      if (run.status === "running") running += 1;
    }
  return { running, usage, isComplete };
}

/** The tokens of a run: as it told them at its end, else what its rounds have told so far. */
export function usageOf(run: RunNode): {
  readonly self: Tokens;
  readonly subtree: Tokens;
  readonly complete: boolean;
} {
  if (run.usage !== undefined) return run.usage;
  const self = run.rounds.reduce(
    (total, { usage }) => (usage === undefined ? total : sumOfTokens(total, usage)),
    run.folded?.usage ?? noTokens,
  );
  return { self, subtree: self, complete: false };
}

/** The session that a page without a wish shows: the newest root. */
export function newestRoot(model: Model): SessionNode | undefined {
  return lineageRoots(model)
    .toSorted((a, b) => (a.lastAt ?? 0) - (b.lastAt ?? 0))
    .at(-1);
}
