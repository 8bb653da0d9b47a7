import type { CallNode, FoldedNode, ForkNode, Model, RunNode, SessionNode } from "./model.ts";
import { rowKey } from "./row-key.ts";

/** Something that a person who opens a session may want to know first, with the row that tells more. */
export interface Highlight {
  readonly row: string;
  readonly node: CallNode | FoldedNode | ForkNode | RunNode;
}

/** Most that are named. */
const MAX_HIGHLIGHTS = 50;

/** Calls that were stopped, changed, asked about or judged, runs that did not end well and forks, by their time. */
export function highlightsOf(model: Model, session: SessionNode): readonly Highlight[] {
  const found: (Highlight & { readonly at: number })[] = [];
  const add = (node: Highlight["node"], at: number): void => void found.push({ row: rowKey(node), node, at });
  for (const each of withChildren(model, session)) {
    for (const run of each.runs.values()) {
      if (run.status === "failed" || run.status === "parked") add(run, run.endedAt ?? run.startedAt);
      if (run.folded !== undefined && holdsNotable(run.folded)) add(run.folded, run.folded.startedAt);
    }
    for (const call of each.calls.values()) if (isNotable(call)) add(call, call.startedAt);
    for (const fork of each.forks.values()) add(fork, fork.at);
  }
  return found.toSorted((a, b) => a.at - b.at).slice(0, MAX_HIGHLIGHTS);
}

function isNotable({ pre, post, broken, permission, attempt, childSession }: CallNode): boolean {
  const isGuarded = broken || (pre ?? "allow") !== "allow" || (post ?? "allow") !== "allow";
  return isGuarded || permission !== undefined || attempt !== undefined || childSession !== undefined;
}

/** What was folded away is named as one. */
function holdsNotable({ kinds }: FoldedNode): boolean {
  return Object.values(kinds).some((count) => count > 0);
}

function withChildren({ sessions }: Model, session: SessionNode): ReadonlySet<SessionNode> {
  const found = new Set([session]);
  // A set that grows while it is walked is walked to its end.
  for (const each of found)
    for (const { childSession } of each.calls.values()) {
      const child = childSession === undefined ? undefined : sessions.get(childSession);
      if (child !== undefined) found.add(child);
    }
  return found;
}
