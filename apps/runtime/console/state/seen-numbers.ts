import type { Seq, SessionNode } from "./model.ts";

/** Which numbers of a session were seen: stretches without a gap, in their order. */
export type SeenNumbers = [from: Seq, to: Seq][];

/** Notes a number; answers false for one that was seen before. */
export function see(seen: SeenNumbers, seq: Seq): boolean {
  let at = seen.length - 1;
  while (at >= 0 && seen[at]![0] > seq) at -= 1;
  const [before, after] = [seen[at], seen[at + 1]];
  if (before !== undefined && seq <= before[1]) return false;
  const followsBefore = before?.[1] === seq - 1;
  if (after?.[0] === seq + 1) {
    after[0] = followsBefore ? before[0] : seq;
    if (followsBefore) seen.splice(at, 1);
  } else if (followsBefore) before[1] = seq;
  else seen.splice(at + 1, 0, [seq, seq]);
  return true;
}

/** The last number before the first gap; 0 where there is none. */
export function readTo({ seen }: SessionNode): Seq {
  const [first] = seen;
  return first?.[0] === 1 ? first[1] : 0;
}

/** Numbers that no event was read of. */
interface Gap {
  readonly from: Seq;
  readonly to: Seq;
}

/** The gaps of a session's log, as far as it was read. */
export function gapsOf({ seen }: SessionNode): readonly Gap[] {
  return seen
    .map(([from], index) => ({ from: (seen[index - 1]?.[1] ?? 0) + 1, to: from - 1 }))
    .filter(({ from, to }) => to >= from);
}

/** How many events the numbers of sessions leave out, and where the first of them is, in words. */
export function missingIn(sessions: Iterable<SessionNode>): {
  readonly count: number;
  readonly where: string;
} {
  let count = 0;
  let where = "";
  for (const session of sessions)
    for (const { from, to } of gapsOf(session)) {
      if (count === 0)
        where = `${from === to ? `number ${from}` : `numbers ${from} to ${to}`} of session ${session.id}`;
      count += to - from + 1;
    }
  return { count, where };
}
