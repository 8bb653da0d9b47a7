import { canonicalJson } from "@basis/core";
import { HookError } from "../hook-error.ts";
import type { ParticipantRank } from "../participant.ts";
import type { RankedHooks } from "./discover-hooks.ts";

/**
 * Refuses a plan that has lost a guard: every hook must still be there, with every field, in the same order. More may
 * come. A workspace's hooks that were trusted anew replace what was there.
 *
 * @throws HookError `reload_refused`.
 */
export function refuseLostHooks(before: readonly RankedHooks[], after: readonly RankedHooks[]): void {
  const names = (["global", "workspace"] as const).flatMap((rank) =>
    isTrustedAnew(ofRank(before, rank), ofRank(after, rank))
      ? []
      : lostNames(ofRank(before, rank), ofRank(after, rank)),
  );
  if (names.length === 0) return;
  const listed = names.map((name) => `'${name}'`).join(", ");
  throw new HookError(
    "reload_refused",
    `a reload may not remove, change or reorder a hook in force: ${listed}; trust the workspace anew, or open the hooks again`,
    { details: { names } },
  );
}

function ofRank(plan: readonly RankedHooks[], rank: ParticipantRank): RankedHooks | undefined {
  return plan.find((ranked) => ranked.rank === rank);
}

function isTrustedAnew(before: RankedHooks | undefined, after: RankedHooks | undefined): boolean {
  return after?.pins !== undefined && after.pins.digest !== before?.pins?.digest;
}

/** Those of the hooks before that are not, in their order, among the hooks after. */
function lostNames(before: RankedHooks | undefined, after: RankedHooks | undefined): readonly string[] {
  const there = (after?.hooks ?? []).map((settings) => canonicalJson(settings));
  let from = 0;
  return (before?.hooks ?? [])
    .filter((settings) => {
      const at = there.indexOf(canonicalJson(settings), from);
      if (at >= 0) from = at + 1;
      return at < 0;
    })
    .map(({ name }) => name);
}
