import type { SideEffectLevel } from "@basis/core";

const RANK: Readonly<Record<SideEffectLevel, number>> = { none: 0, local_state: 1, process: 2, external: 3 };

/** The level a call is treated as: one that is absent or unknown counts as `external`. */
export function effectiveLevel(level: string | undefined): SideEffectLevel {
  return level !== undefined && Object.hasOwn(RANK, level) ? (level as SideEffectLevel) : "external";
}

/** True when `level` does no more than `highest` does. */
export function isAtMost(level: SideEffectLevel, highest: SideEffectLevel): boolean {
  return RANK[level] <= RANK[highest];
}
