import { systemClock, type Clock } from "@basis/core";
import type { LadderStep } from "./ladder.ts";

/** Remembers which ways of asking, and whether strict schemas, a model refused, for a while. A port: a host may keep it anywhere. */
export interface LadderMemory {
  refused(key: string): readonly LadderStep[];
  remember(key: string, step: LadderStep): void;
}

/** The bounds of a memory. */
export interface LadderMemoryOptions {
  /** How long a refusal is believed. Default 6 hours. */
  readonly ttlMs?: number;
  /** Most models remembered. Default 1,000; the oldest goes first. */
  readonly maxModels?: number;
  readonly clock?: Clock;
}

/** A memory in this process. */
export function createLadderMemory(options: LadderMemoryOptions = {}): LadderMemory {
  const { ttlMs = 6 * 60 * 60 * 1000, maxModels = 1_000, clock = systemClock } = options;
  const models = new Map<string, Map<LadderStep, number>>();
  return {
    refused(key) {
      const now = clock.monotonicMs();
      return [...(models.get(key) ?? [])].filter(([, until]) => until > now).map(([step]) => step);
    },
    remember(key, step) {
      const steps = models.get(key) ?? new Map<LadderStep, number>();
      models.delete(key);
      models.set(key, steps.set(step, clock.monotonicMs() + ttlMs));
      const [oldest] = models.keys();
      if (models.size > maxModels && oldest !== undefined) models.delete(oldest);
    },
  };
}

let shared: LadderMemory | undefined;

/** The memory that runs use when they are given none. */
export function sharedLadderMemory(): LadderMemory {
  return (shared ??= createLadderMemory());
}
