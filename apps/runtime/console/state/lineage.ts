import type { ForkState, Model, SessionNode } from "./model.ts";

/** A session as a point of the graph of forks. */
export interface LineagePoint {
  readonly session: SessionNode;
  /** Its place: column and line, from 0. */
  readonly column: number;
  readonly line: number;
  /** The point it was forked from, how many messages it took along, and whether somebody sits in it. */
  readonly from:
    | {
        readonly line: number;
        readonly column: number;
        readonly count: number | undefined;
        readonly state: ForkState;
      }
    | undefined;
}

/** Sessions that were read and that neither a call nor a fork of another known one made, by their beginnings. */
export function lineageRoots({ sessions }: Model): readonly SessionNode[] {
  const isRoot = ({ last, parent, origin }: SessionNode): boolean =>
    last > 0 && origin === undefined && (parent === undefined || !sessions.has(parent.session));
  return [...sessions.values()].filter(isRoot).toSorted((a, b) => (a.firstAt ?? 0) - (b.firstAt ?? 0));
}

/** The first of the forks that lead to a session; of a child, that of the session whose call started it. */
export function rootOf({ sessions }: Model, session: SessionNode): SessionNode {
  const seen = new Set<SessionNode>();
  for (let at = session; ;) {
    const next = (at.parent === undefined ? undefined : sessions.get(at.parent.session)) ?? at.origin?.source;
    if (next === undefined || seen.has(next)) return at;
    seen.add(next);
    at = next;
  }
}

/** The points of one family of forks: each below the one it came from, in the order of the forks. */
export function lineagePoints(model: Model, root: SessionNode): readonly LineagePoint[] {
  const seen = new Set<SessionNode>([root]);
  const points: LineagePoint[] = [];
  // A stack instead of calls: forks of forks may be as many as a log says.
  const open: Omit<LineagePoint, "line">[] = [{ session: root, column: 0, from: undefined }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { session, column } = next;
    const line = points.push({ ...next, line: points.length }) - 1;
    for (const made of forksOf(model, session, seen).toReversed()) {
      const { count, state } = made.origin!;
      open.push({ session: made, column: column + 1, from: { line, column, count, state } });
    }
  }
  return points;
}

/** What a session is called: the agent's name, or the beginning of its id before that is known. */
export function nameOf({ agent, origin, id }: SessionNode): string {
  return agent ?? origin?.member ?? id.slice(0, 13);
}

function forksOf({ sessions }: Model, session: SessionNode, seen: Set<SessionNode>): readonly SessionNode[] {
  return [...session.forks.values()]
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ target }) => {
      const made = target === undefined ? undefined : sessions.get(target);
      if (made === undefined || made.origin?.source !== session || seen.has(made)) return [];
      seen.add(made);
      return [made];
    });
}
