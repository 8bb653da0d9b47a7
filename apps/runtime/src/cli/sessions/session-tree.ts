import { visibleText } from "@basis/approval";
import { counted } from "../terminal/output-format.ts";
import type { SessionView } from "../../store/session-view.ts";

/** A session, and how deep it stands below where it came from. */
export interface TreeLine {
  readonly depth: number;
  readonly view: SessionView;
}

/**
 * The sessions in the order of a tree: below each what was forked or delegated from it. A parent that is gone is left
 * out. With `from` only that session and what is below it.
 */
export function treeLines(sessions: readonly SessionView[], from?: string): readonly TreeLine[] {
  const known = new Map(sessions.map((view) => [view.session, view]));
  const below = new Map<string | undefined, SessionView[]>();
  for (const view of sessions) {
    const parent = parentOf(view, known);
    const siblings = below.get(parent);
    if (siblings) siblings.push(view);
    else below.set(parent, [view]);
  }
  const root = from === undefined ? undefined : known.get(from);
  const roots = from === undefined ? (below.get(undefined) ?? []) : root === undefined ? [] : [root];
  const lines: TreeLine[] = [];
  // A list of its own, since lineages may be deeper than calls can be.
  const waiting = roots.map((view): TreeLine => ({ depth: 0, view })).toReversed();
  for (let line = waiting.pop(); line !== undefined; line = waiting.pop()) {
    lines.push(line);
    const depth = line.depth + 1;
    for (const view of (below.get(line.view.session) ?? []).toReversed()) waiting.push({ depth, view });
  }
  return lines;
}

function parentOf(
  { forked_from, spawned_by }: SessionView,
  known: ReadonlyMap<string, SessionView>,
): string | undefined {
  return [forked_from?.session, spawned_by?.session].find((id) => id !== undefined && known.has(id));
}

/** The lines as an indented drawing. */
export function drawSessionTree(lines: readonly TreeLine[]): string {
  return lines.map(({ depth, view }) => `${"  ".repeat(depth)}${label(view)}`).join("\n");
}

function label({ session, member, state, messages, forked_from, spawned_by }: SessionView): string {
  const name = visibleText(member ?? session);
  const size = counted(messages, "message");
  const busy = state === "ready" ? "" : `, ${state === "pending" ? "not seated" : state}`;
  if (forked_from) return `⑂ ${name} (from message ${forked_from.at}, ${size}${busy})`;
  return `${spawned_by ? "↳ " : ""}${name} (${size}${busy})`;
}
