import { sumOfTokens } from "./tokens.ts";
import { filterKinds, kindsOf } from "./filter.ts";
import type { FoldedNode, Model, RoundNode, RunNode } from "./model.ts";
import { rowKey } from "./row-key.ts";

/** How many rounds, calls and notes a page of a host keeps as rows of their own. */
const MAX_NODES = 3000;
/** Of a run that goes on, its newest rounds stay. */
const STAYING = 20;
/** After how many more there is another look, where all were too young to go. */
const LOOK_AFTER = 50;

export interface FoldAwayOptions {
  /** The key of the row that somebody looks at: what it stands in stays. */
  readonly keep?: string | undefined;
  readonly room?: number;
}

/** Folds the oldest rounds away where there are too many rows: one row of their run stands for them. */
export function foldAway(model: Model, { keep, room = MAX_NODES }: FoldAwayOptions = {}): void {
  const { oldest } = model;
  if (oldest === undefined || !isDue(model, room)) return;
  const holds = holderOf(model, keep);
  const staying: RoundNode[] = [];
  let looked = 0;
  for (; looked < oldest.length && model.nodes > room; looked += 1) {
    const round = oldest[looked]!;
    if (isOver(round) && !holds(round)) away(model, round, keep);
    else if (!round.run.isOpened) staying.push(round);
  }
  oldest.splice(0, looked, ...staying);
  model.staying = model.nodes > room ? model.nodes : 0;
}

function isDue({ nodes, staying }: Model, room: number): boolean {
  return nodes > room && (staying === 0 || nodes > staying + LOOK_AFTER);
}

/** Whether a round holds a row, itself or in a child of a child. */
function holderOf({ sessions }: Model, looked: string | undefined): (round: RoundNode) => boolean {
  if (looked === undefined) return () => false;
  const within = new Set<string>();
  let next = looked.split(" ")[1];
  for (; next !== undefined && !within.has(next); next = sessions.get(next)?.parent?.session)
    within.add(next);
  return (round) =>
    rowKey(round) === looked ||
    round.calls.some((call) => rowKey(call) === looked || within.has(call.childSession ?? ""));
}

function isOver({ run, calls }: RoundNode): boolean {
  const isIdle = run.endedAt !== undefined || run.rounds.length > STAYING;
  return isIdle && !run.isOpened && calls.every(({ endedAt }) => endedAt !== undefined);
}

function away(model: Model, round: RoundNode, keep: string | undefined): void {
  const { run, calls } = round;
  const { session } = run;
  const folded = (run.folded ??= foldedOf(run));
  run.rounds.splice(run.rounds.indexOf(round), 1);
  session.rounds.delete(round.id);
  model.nodes -= 1 + calls.length;
  folded.rounds += 1;
  folded.calls += calls.length;
  folded.to = Math.max(folded.to, round.seq ?? 0);
  folded.endedAt = Math.max(folded.endedAt, round.endedAt ?? 0);
  if (round.usage !== undefined) folded.usage = sumOfTokens(folded.usage, round.usage);
  for (const call of calls) {
    session.calls.delete(call.key);
    if (call.attempt !== undefined) call.attempt.call = undefined;
    folded.to = Math.max(folded.to, call.events.at(-1) ?? 0);
    folded.endedAt = Math.max(folded.endedAt, call.endedAt ?? 0);
    for (const kind of kindsOf(call)) folded.kinds[kind] += 1;
  }
  awayNotes(model, folded, keep);
}

/** What was said beside rounds goes with them. */
function awayNotes(model: Model, folded: FoldedNode, keep: string | undefined): void {
  const { notes } = folded.run;
  for (let [note] = notes; note !== undefined && note.at <= folded.endedAt; [note] = notes) {
    if (rowKey(note) === keep) return;
    notes.shift();
    model.nodes -= 1;
    for (const kind of kindsOf(note)) folded.kinds[kind] += 1;
  }
}

function foldedOf(run: RunNode): FoldedNode {
  const kinds = Object.fromEntries(filterKinds.map((kind) => [kind, 0])) as FoldedNode["kinds"];
  const { startedAt, from } = run;
  return {
    kind: "folded",
    run,
    from,
    to: from,
    rounds: 0,
    calls: 0,
    kinds,
    usage: undefined,
    startedAt,
    endedAt: 0,
  };
}
