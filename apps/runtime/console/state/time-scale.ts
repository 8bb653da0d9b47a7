import type { RowNode } from "./row-key.ts";
import type { Row } from "./tree-rows.ts";

/** A stretch of time, in milliseconds since 1970. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Places moments on a line from 0 to 1. Where nothing happened for long, the line is folded. */
export interface TimeScale {
  /** 0 to 1; moments outside stand at the ends. */
  place(at: number): number;
  readonly ticks: readonly Tick[];
}

/** A mark of the ruler. */
export interface Tick {
  readonly place: number;
  /** Time since the beginning of its stretch, in milliseconds; undefined where the line is folded. */
  readonly sinceMs: number | undefined;
}

/** Idle time beyond this part of the busy time is folded, but never less than a second. */
const FOLDED_PART = 0.1;
const MIN_FOLDED_MS = 1000;
/** How wide a fold is, as a part of the whole. */
const FOLD_WIDTH = 0.02;
const WANTED_TICKS = 4;

/** When a row happened; `now` ends what goes on. */
export function stretchOf(node: RowNode, now: number): Stretch {
  switch (node.kind) {
    case "session": {
      const { firstAt, lastAt, origin, runs } = node.session;
      const from = firstAt ?? origin?.at ?? now;
      return {
        from,
        to: [...runs.values()].some((run) => run.endedAt === undefined) ? now : (lastAt ?? from),
      };
    }
    case "fork":
    case "note":
      return { from: node.at, to: node.at };
    default:
      return { from: node.startedAt, to: Math.max(node.startedAt, node.endedAt ?? now) };
  }
}

/** The busy stretches of rows: those of runs, and the moments beside them. */
export function busyStretches(rows: readonly Row[], now: number): readonly Stretch[] {
  return rows.filter(({ node }) => node.kind !== "session").map(({ node }) => stretchOf(node, now));
}

/** The scale on which stretches are shown. */
export function timeScale(stretches: readonly Stretch[]): TimeScale {
  const parts = joined(stretches);
  if (parts.length === 0) return { place: () => 0, ticks: [] };
  const busyMs = Math.max(
    1,
    parts.reduce((sum, { from, to }) => sum + to - from, 0),
  );
  const room = 1 - FOLD_WIDTH * (parts.length - 1);
  const placed = parts.map(({ from, to }) => ({ from, to, at: 0, width: (room * (to - from)) / busyMs }));
  let next = 0;
  for (const part of placed) {
    part.at = next;
    next += part.width + FOLD_WIDTH;
  }
  return { place: (at) => placeIn(placed, at), ticks: ticksOf(placed, busyMs) };
}

interface Placed extends Stretch {
  readonly at: number;
  readonly width: number;
}

/** Stretches without overlap and without short gaps. At most as many as leave room for themselves. */
function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const sorted = stretches.toSorted((a, b) => a.from - b.from);
  const busyMs = sorted.length === 0 ? 0 : Math.max(...sorted.map(({ to }) => to)) - sorted[0]!.from;
  let foldedMs = MIN_FOLDED_MS;
  for (;;) {
    const parts = mergedWithin(sorted, foldedMs);
    const idle = busyMs - parts.reduce((sum, { from, to }) => sum + to - from, 0);
    const least = (busyMs - idle) * FOLDED_PART;
    if (parts.length <= 20 && foldedMs >= least) return parts;
    foldedMs = Math.max(foldedMs * 2, Math.min(least, foldedMs * 64));
  }
}

function mergedWithin(sorted: readonly Stretch[], gapMs: number): readonly Stretch[] {
  const parts: { from: number; to: number }[] = [];
  for (const { from, to } of sorted) {
    const last = parts.at(-1);
    if (last !== undefined && from - last.to <= gapMs) last.to = Math.max(last.to, to);
    else parts.push({ from, to });
  }
  return parts;
}

function placeIn(parts: readonly Placed[], at: number): number {
  let before = 0;
  for (const { from, to, at: place, width } of parts) {
    if (at < from) return before;
    if (at <= to) return place + (to === from ? 0 : (width * (at - from)) / (to - from));
    before = place + width;
  }
  return before;
}

function ticksOf(parts: readonly Placed[], busyMs: number): readonly Tick[] {
  const step = roundStep(busyMs / WANTED_TICKS);
  const ticks: Tick[] = [];
  for (const [index, { from, to, at, width }] of parts.entries()) {
    if (index > 0) ticks.push({ place: at - FOLD_WIDTH / 2, sinceMs: undefined });
    for (let since = index === 0 ? 0 : step; since <= to - from; since += step) {
      if (since > 0 && to - from - since < step / 2) break;
      ticks.push({ place: at + (to === from ? 0 : (width * since) / (to - from)), sinceMs: since });
    }
  }
  return ticks;
}

/** The next of 1, 2 and 5 with zeroes behind it. */
function roundStep(ms: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, ms)));
  return power * ([1, 2, 5].find((each) => each * power >= ms) ?? 10);
}
