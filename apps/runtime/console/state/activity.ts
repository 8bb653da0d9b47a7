import { lineageRoots } from "./lineage.ts";
import type { Model, RunNode, SessionNode, Tokens } from "./model.ts";

/** What a whole log comes to. */
export interface Activity {
  readonly running: number;
  readonly usage: Tokens;
  /** False where a run has not ended, or knows only a part of what it used. */
  readonly isComplete: boolean;
}

const none: Tokens = { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0, reasoning_tokens: 0 };

/** Adds up every session. */
export function activityOf(model: Model): Activity {
  let usage = none;
  let running = 0;
  let isComplete = true;
  for (const { runs } of model.sessions.values())
    for (const run of runs.values()) {
      const own = usageOf(run);
      usage = sum(usage, own.self);
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
    (total, { usage }) => (usage === undefined ? total : sum(total, usage)),
    none,
  );
  return { self, subtree: self, complete: false };
}

/** How many events the numbers of every session leave out. */
export function missingIn({ sessions }: Model): number {
  return [...sessions.values()].reduce((total, { missing }) => total + missing, 0);
}

/** The session that a page without a wish shows: the newest root. */
export function newestRoot(model: Model): SessionNode | undefined {
  return lineageRoots(model)
    .toSorted((a, b) => (a.lastAt ?? 0) - (b.lastAt ?? 0))
    .at(-1);
}

function sum(a: Tokens, b: Tokens): Tokens {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cached_input_tokens: a.cached_input_tokens + b.cached_input_tokens,
    reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
  };
}
