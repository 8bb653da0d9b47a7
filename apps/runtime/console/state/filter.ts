import type { Filter, FilterKind } from "./row-filter.ts";
import type { RowNode } from "./row-key.ts";

/** What is worth a look: kinds that can be asked for by themselves. */
export const filterKinds: readonly FilterKind[] = ["stopped", "changed", "asked", "children", "failed"];

/** The filter of what somebody typed and chose. */
export function filterOf(text: string, kinds: ReadonlySet<FilterKind>): Filter {
  const isOn = text.trim() !== "" || kinds.size > 0;
  return { isOn, text, kinds, admits: (node) => admits(text, kinds, node) };
}

/** The kinds of a row. */
export function kindsOf(node: RowNode): readonly FilterKind[] {
  return filterKinds.filter((kind) => isOf[kind](node));
}

/** Whether a row is shown for its own sake: it is of a chosen kind and has the text. */
function admits(text: string, kinds: ReadonlySet<FilterKind>, node: RowNode): boolean {
  // What is folded away may have the text.
  if (node.kind === "folded") return [...kinds].some((kind) => node.kinds[kind] > 0) || kinds.size === 0;
  if (kinds.size > 0 && ![...kinds].some((kind) => isOf[kind](node))) return false;
  const wanted = text.trim().toLowerCase();
  return wanted === "" || wordsOf(node).toLowerCase().includes(wanted);
}

const isOf: Readonly<Record<FilterKind, (node: RowNode) => boolean>> = {
  stopped: (node) => node.kind === "call" && (node.pre === "deny" || node.permission?.state === "deny"),
  changed: (node) =>
    node.kind === "call" &&
    (node.pre === "modify" || node.post === "replace" || node.permission?.state === "edited"),
  asked: (node) => node.kind === "call" && node.permission !== undefined,
  children: (node) => node.kind === "fork" || (node.kind === "call" && node.childSession !== undefined),
  failed: hasFailed,
};

function hasFailed(node: RowNode): boolean {
  switch (node.kind) {
    case "call":
      return node.broken || node.isError;
    case "run":
      return node.status === "failed";
    case "fork":
      return node.state === "unseated" || node.state === "refused";
    case "note":
      return node.type === "error";
    default:
      return false;
  }
}

function wordsOf(node: RowNode): string {
  switch (node.kind) {
    case "session":
      return `${node.session.agent ?? ""} ${node.session.id}`;
    case "run":
      return `${node.agent} ${node.task} ${node.id}`;
    case "round":
      return node.text;
    case "call":
      return `${node.tool} ${node.summary}`;
    case "fork":
      return `${node.member} ${node.message ?? ""}`;
    case "note":
      return node.text;
    case "folded":
      return "";
  }
}
