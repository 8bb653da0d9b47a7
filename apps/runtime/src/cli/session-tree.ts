import { visibleText } from "@basis/approval";
import { counted } from "./output-format.ts";
import type { SessionView } from "../store/session-view.ts";

/** The sessions as an indented tree: below each what was forked or delegated from it. A parent that is gone is left out. */
export function drawSessionTree(sessions: readonly SessionView[]): string {
  const known = new Set(sessions.map(({ session }) => session));
  const parentOf = ({ forked_from, spawned_by }: SessionView): string | undefined =>
    [forked_from?.session, spawned_by?.session].find((id) => id !== undefined && known.has(id));
  const below = new Map<string | undefined, SessionView[]>();
  for (const view of sessions) {
    const siblings = below.get(parentOf(view));
    if (siblings) siblings.push(view);
    else below.set(parentOf(view), [view]);
  }
  const draw = (parent: string | undefined, depth: number): string[] =>
    (below.get(parent) ?? []).flatMap((view) => [
      `${"  ".repeat(depth)}${label(view)}`,
      ...draw(view.session, depth + 1),
    ]);
  return draw(undefined, 0).join("\n");
}

function label({ session, member, state, messages, forked_from, spawned_by }: SessionView): string {
  const name = visibleText(member ?? session);
  const size = counted(messages, "message");
  const busy = state === "ready" ? "" : `, ${state === "pending" ? "not seated" : state}`;
  if (forked_from) return `⑂ ${name} (from message ${forked_from.at}, ${size}${busy})`;
  return `${spawned_by ? "↳ " : ""}${name} (${size}${busy})`;
}
