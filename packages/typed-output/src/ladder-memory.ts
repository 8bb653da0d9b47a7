import { systemClock, type Clock } from "@basis/core";
import type { LadderStep } from "./ladder.ts";

/** Something that a provider refused. */
export interface RefusedStep {
  readonly step: LadderStep;
  /** Digest of the schema that was refused; absent where no schema would have been taken. */
  readonly schema?: string;
}

/** Remembers which ways of asking, and whether strict schemas, a model refused, for a while. A port: a host may keep it anywhere. */
export interface LadderMemory {
  refused(model: string): readonly RefusedStep[];
  remember(model: string, refused: RefusedStep): void;
}

/** The bounds of a memory. */
export interface LadderMemoryOptions {
  /** How long a refusal is believed. Default 6 hours. */
  readonly ttlMs?: number;
  /** Most models remembered. Default 1,000; the oldest goes first. */
  readonly maxModels?: number;
  readonly clock?: Clock;
}

/** Most refusals remembered of one model; the oldest goes first. */
const MAX_STEPS = 100;

interface Entry {
  readonly refused: RefusedStep;
  readonly untilMs: number;
}

const nothing: readonly never[] = Object.freeze([]);

/** A memory in this process. */
export function createLadderMemory(options: LadderMemoryOptions = {}): LadderMemory {
  const { ttlMs = 6 * 60 * 60 * 1000, maxModels = 1_000, clock = systemClock } = options;
  const models = new Map<string, Map<string, Entry>>();
  return {
    refused(model) {
      const entries = models.get(model);
      if (!entries) return nothing;
      const now = clock.monotonicMs();
      return [...entries.values()].flatMap(({ refused, untilMs }) => (untilMs > now ? [refused] : []));
    },
    remember(model, refused) {
      const entries = models.get(model) ?? new Map<string, Entry>();
      renew(entries, `${refused.step} ${refused.schema ?? ""}`, {
        refused,
        untilMs: clock.monotonicMs() + ttlMs,
      });
      dropOldest(entries, MAX_STEPS);
      renew(models, model, entries);
      dropOldest(models, maxModels);
    },
  };
}

/** Sets an entry and makes it the newest. */
function renew<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}

let shared: LadderMemory | undefined;

/** The memory that runs use when they are given none. */
export function sharedLadderMemory(): LadderMemory {
  return (shared ??= createLadderMemory());
}
