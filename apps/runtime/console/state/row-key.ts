import type { CallNode, FoldedNode, ForkNode, NoteNode, RoundNode, RunNode, SessionNode } from "./model.ts";

/** What a row of the tree stands for. */
export type RowNode =
  | { readonly kind: "session"; readonly session: SessionNode }
  | RunNode
  | RoundNode
  | CallNode
  | ForkNode
  | NoteNode
  | FoldedNode;

/** The key of a row: the same for the same thing, whatever else is shown. */
export function rowKey(node: RowNode): string {
  switch (node.kind) {
    case "session":
      return node.session.id;
    case "run":
      return `run ${node.session.id} ${node.id}`;
    case "round":
      return `round ${node.run.session.id} ${node.id}`;
    case "call":
      return `call ${node.round.run.session.id} ${node.key}`;
    case "fork":
      return `fork ${node.source.id} ${node.key}`;
    case "note":
      return `note ${node.key}`;
    case "folded":
      return `folded ${node.run.session.id} ${node.run.id}`;
  }
}

/** Where a row stands in the log, as far as one event tells. */
export function placeOf(node: RowNode): string {
  switch (node.kind) {
    case "session":
      return `session ${node.session.id}, event ${node.session.last}`;
    case "run":
      return `session ${node.session.id}, run ${node.id}`;
    case "round":
      return `session ${node.run.session.id}, event ${node.seq ?? "unread"}`;
    case "call":
      return `session ${node.round.run.session.id}, event ${node.events.at(-1) ?? "unread"}`;
    case "fork":
      return `session ${node.source.id}, event ${node.events.at(-1) ?? "unread"}`;
    case "note":
      return `session ${node.session.id}, event ${node.seq ?? "unread"}`;
    case "folded":
      return `session ${node.run.session.id}, events ${node.from} to ${node.to}`;
  }
}
