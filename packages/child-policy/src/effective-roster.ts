import { ChildPolicyError } from "./child-policy-error.ts";
import { nameLookup, ToolRoster } from "./tool-roster.ts";

/** What happens to tools that the parent lacks: kept, dropped, or the delegation is refused. */
export type WidenMode = "allow" | "narrow" | "refuse";

/** What a child's roster is measured against. */
export interface ParentView {
  /** The delegating agent's effective tool names. */
  readonly tools: readonly string[];
  /** Names denied because they belong to sibling workspaces of a shared runtime; no child gets one. */
  readonly hidden: readonly string[];
  /** The host's own delegation tools, which the spawn tool replaces; no child gets one. */
  readonly alwaysHidden?: readonly string[] | undefined;
  readonly model?: { readonly id: string; readonly provider: string } | undefined;
  /** Every tool name of this workspace. Absent: unknown, and then no requested name is reported as existing nowhere. */
  readonly registered?: readonly string[] | undefined;
}

/** A roster with everything considered, and what it lost on the way. */
export interface EffectiveRoster {
  readonly roster: ToolRoster;
  readonly dropped: string[];
  readonly unknown: string[];
}

/**
 * The roster a child really gets. Without a requested one it is the parent's.
 *
 * @throws ChildPolicyError `roster_wider` naming the extra tools.
 */
export function effectiveRoster(
  parent: ParentView,
  requested: ToolRoster | undefined,
  widen: WidenMode,
): EffectiveRoster {
  const barred = ToolRoster.hide([...parent.hidden, ...(parent.alwaysHidden ?? [])]);
  const inherited = (): ToolRoster => ToolRoster.only(parent.tools).intersect(barred);
  if (requested === undefined) return { roster: inherited(), dropped: [], unknown: [] };
  const { offered } = requested;
  const isOwn = nameLookup(parent.tools, offered?.length);
  const wished = requested.intersect(barred);
  const isHidden = nameLookup(wished.hidden);
  const unknown = unknownNames(parent, requested);
  const names = offered ?? parent.registered ?? parent.tools;
  const extra = names.filter((name) => !isHidden(name) && !isOwn(name) && !unknown.has(name));
  if (widen === "refuse" && extra.length > 0) throw tooWide(extra);
  const within = (): ToolRoster => {
    if (wished.offered === undefined) return wished.intersect(inherited());
    if (extra.length === 0 && unknown.size === 0) return wished;
    return ToolRoster.only(wished.offered.filter(isOwn)).intersect(barred);
  };
  const roster = widen === "allow" ? wished : within();
  const lost = isWhole(requested, roster)
    ? []
    : (offered ?? extra).filter((name) => !roster.allows(name) && !unknown.has(name));
  return { roster, dropped: unique(lost), unknown: unique(unknown) };
}

/** True where every name of the list that was asked for is in the roster. */
function isWhole(requested: ToolRoster, roster: ToolRoster): boolean {
  return requested.offered !== undefined && requested.offered.length === roster.offered?.length;
}

function unknownNames(parent: ParentView, requested: ToolRoster): ReadonlySet<string> {
  if (parent.registered === undefined) return new Set();
  const asked = [...(requested.offered ?? []), ...requested.hidden];
  const isRegistered = nameLookup(parent.registered, asked.length);
  const others = [parent.tools, parent.hidden, parent.alwaysHidden ?? []];
  const isKnown = (name: string): boolean =>
    isRegistered(name) || others.some((names) => names.includes(name));
  return new Set(asked.filter((name) => !isKnown(name)));
}

function tooWide(extra: readonly string[]): ChildPolicyError<"roster_wider"> {
  const names = unique(extra);
  return new ChildPolicyError(
    "roster_wider",
    `a child may not have tools its parent lacks: ${names.join(", ")}`,
    { details: { extra: names } },
  );
}

function unique(names: Iterable<string>): string[] {
  const set = new Set(names);
  return set.size === 0 ? [] : [...set].toSorted();
}
