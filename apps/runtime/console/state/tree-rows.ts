import type { Filter } from "./row-filter.ts";
import type { CallNode, ForkNode, Model, NoteNode, RoundNode, RunNode, SessionNode } from "./model.ts";
import { rowKey, type RowNode } from "./row-key.ts";

/** A row of the tree, as it is drawn. */
export interface Row {
  /** Of `rowKey`. */
  readonly key: string;
  readonly depth: number;
  readonly node: RowNode;
  /** Undefined for a row that holds nothing. */
  readonly open: boolean | undefined;
  /** Its place among the rows of what holds it, from 1, and how many those are. */
  readonly place: number;
  readonly among: { size: number };
}

/** What decides which rows there are. */
export interface RowChoice {
  /** The sessions at the top. */
  readonly roots: readonly SessionNode[];
  /** The keys of rows whose contents are hidden. */
  readonly closed: ReadonlySet<string>;
  readonly filter: Filter;
}

/** Deepest nesting of delegations that is followed: a made-up log may lead in circles. */
const MAX_DEPTH = 64;

/** The rows of a tree, from its top. With a filter: what it admits, and what that stands in. */
export function treeRows(model: Model, { roots, closed, filter }: RowChoice): readonly Row[] {
  const walk: Walk = { model, closed, filter, rows: [], seen: new Set(), among: { size: 0 } };
  for (const session of roots) addSession(walk, session);
  return walk.rows;
}

interface Walk {
  readonly model: Model;
  readonly closed: ReadonlySet<string>;
  readonly filter: Filter;
  readonly rows: Row[];
  readonly seen: Set<string>;
  /** The rows beside the next one. */
  among: Row["among"];
}

function addSession(walk: Walk, session: SessionNode): void {
  walk.seen.add(session.id);
  addRow(walk, { depth: 0, node: { kind: "session", session } }, () => addParts(walk, session, 1));
}

function addParts(walk: Walk, session: SessionNode, depth: number): void {
  for (const node of partsOf(session)) {
    if (node.kind === "run") addRun(walk, node, depth);
    else addRow(walk, { depth, node }, undefined);
  }
}

/** Runs, forks and notes of a session by their time. */
function partsOf({ runs, forks, notes }: SessionNode): readonly (RunNode | ForkNode | NoteNode)[] {
  const parts = [...runs.values(), ...forks.values(), ...notes];
  return parts.toSorted((a, b) => timeOf(a) - timeOf(b));
}

function timeOf(node: RunNode | ForkNode | NoteNode): number {
  return node.kind === "run" ? node.startedAt : node.at;
}

function addRun(walk: Walk, run: RunNode, depth: number): void {
  const notes = run.notes.toSorted((a, b) => a.at - b.at);
  let next = 0;
  const addNotes = (until: number): void => {
    for (; next < notes.length && notes[next]!.at < until; next += 1)
      addRow(walk, { depth: depth + 1, node: notes[next]! }, undefined);
  };
  addRow(walk, { depth, node: run }, () => {
    if (run.folded !== undefined) addRow(walk, { depth: depth + 1, node: run.folded }, undefined);
    for (const round of run.rounds) {
      addNotes(round.endedAt ?? round.startedAt);
      addRound(walk, round, depth + 1);
    }
    addNotes(Number.POSITIVE_INFINITY);
  });
}

function addRound(walk: Walk, round: RoundNode, depth: number): void {
  const contents =
    round.calls.length === 0
      ? undefined
      : () => round.calls.forEach((call) => addCall(walk, call, depth + 1));
  addRow(walk, { depth, node: round }, contents);
}

function addCall(walk: Walk, call: CallNode, depth: number): void {
  const child = call.childSession === undefined ? undefined : walk.model.sessions.get(call.childSession);
  const isNew = child !== undefined && !walk.seen.has(child.id) && depth < MAX_DEPTH;
  if (isNew) walk.seen.add(child.id);
  addRow(walk, { depth, node: call }, isNew ? () => addParts(walk, child, depth + 1) : undefined);
}

/** Adds a row and what it holds. A filter keeps it for its own sake or for what it holds. */
function addRow(walk: Walk, row: Pick<Row, "depth" | "node">, contents: (() => void) | undefined): void {
  const { rows, filter, closed } = walk;
  const at = rows.length;
  const key = rowKey(row.node);
  const isOpen = contents !== undefined && (filter.isOn || !closed.has(key));
  const { among } = walk;
  among.size += 1;
  rows.push({
    key,
    ...row,
    open: row.node.kind === "folded" ? false : contents && isOpen,
    place: among.size,
    among,
  });
  if (isOpen) {
    walk.among = { size: 0 };
    contents();
    walk.among = among;
  }
  if (!filter.isOn || rows.length > at + 1 || filter.admits(row.node)) return;
  rows.pop();
  among.size -= 1;
}
