import type { CallRecord, TrailEntry } from "../audit-trail.ts";
import type { ListedHook } from "./hook-listing.ts";
import { whyLeftOut, type FilteredCall } from "./why-left-out.ts";

/** An answer, and the place in the chain of the hook that gave it. */
export interface SeatedAnswer {
  /** From 1. */
  readonly position: number;
  readonly hook: ListedHook;
  readonly entry: TrailEntry;
}

/** A hook that was not asked. */
export interface LeftOut {
  readonly position: number;
  readonly hook: ListedHook;
  readonly why: "filtered" | "ended";
  /** The same in words. */
  readonly because: string;
}

/** A record whose participants are matched with the hooks of a listing. */
export interface SeatedRecord {
  /** In the order of asking; a hook that judged a rewrite again stands twice. */
  readonly asked: readonly SeatedAnswer[];
  readonly notAsked: readonly LeftOut[];
}

/** Matches a record with the chain's hooks, in order. Two hooks may have one name, so places count as well. */
export function seatRecord(
  record: Pick<CallRecord, "asked" | "notAsked">,
  hooks: readonly ListedHook[],
  call: FilteredCall,
): SeatedRecord {
  const answers = record.asked.filter(({ mode }) => mode === "decide");
  const skipped = [...record.notAsked];
  const places = new Map<TrailEntry, number>();
  const notAsked: LeftOut[] = [];
  for (const [index, hook] of hooks.entries()) {
    const [answer, left] = [answers[0], skipped[0]];
    const why = whyLeftOut(hook.settings, call);
    const isAsked = answer !== undefined && isOf(answer, hook);
    const isSkipped = left !== undefined && left.name === hook.settings.name;
    if (isAsked && (why === undefined || !isSkipped)) places.set(answers.shift()!, index);
    else if (isSkipped) {
      skipped.shift();
      notAsked.push({ position: index + 1, hook, why: left.why, because: inWords(left.why, why) });
    }
  }
  const placeOf = (entry: TrailEntry): number =>
    places.get(entry) ?? hooks.findIndex((hook) => isOf(entry, hook));
  const asked = record.asked.flatMap((entry) => {
    const index = placeOf(entry);
    const hook = hooks[index];
    return hook === undefined ? [] : [{ position: index + 1, hook, entry }];
  });
  return { asked, notAsked };
}

function isOf(entry: TrailEntry, { rank, settings }: ListedHook): boolean {
  return entry.name === settings.name && entry.rank === rank;
}

function inWords(why: LeftOut["why"], filter: string | undefined): string {
  if (why === "ended") return "the chain had ended before its turn";
  return filter ?? "its 'input' did not match what the hooks before it had left";
}
