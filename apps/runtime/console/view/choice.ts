import type { Model, SessionNode } from "../state/model.ts";
import { lineagePoints, lineageRoots, rootOf } from "../state/lineage.ts";
import { newestRoot } from "../state/activity.ts";
import type { Route } from "../state/route.ts";
import type { Row } from "../state/tree-rows.ts";

/** The session that a route means; without one, the newest. */
export function chosenSession(model: Model, { session }: Route): SessionNode | undefined {
  const named = session === undefined ? undefined : model.sessions.get(session);
  const isKnown = named !== undefined && (named.last > 0 || named.origin !== undefined);
  return isKnown ? named : newestRoot(model);
}

/** The sessions of the chosen one's family: what it came from and what came from it, by forks. */
export function familyOf(model: Model, chosen: SessionNode): readonly SessionNode[] {
  return lineagePoints(model, rootOf(model, chosen)).map(({ session }) => session);
}

/** Every family, the newest first. */
export function families(model: Model): readonly SessionNode[] {
  return lineageRoots(model).toSorted((a, b) => (b.lastAt ?? 0) - (a.lastAt ?? 0));
}

/** Where a key is among the rows; the first row without one. */
export function rowIndex(rows: readonly Row[], key: string | undefined): number {
  return key === undefined ? -1 : rows.findIndex((row) => row.key === key);
}
