import { sumOfTokens } from "./tokens.ts";
import { filterKinds, kindsOf } from "./filter.ts";
import type { FoldedNode, Model, RoundNode, RunNode } from "./model.ts";

/** How many rounds, calls and notes a page of a host keeps as rows of their own. */
const MAX_NODES = 3000;
/** Of a run that goes on, its newest rounds stay. */
const STAYING = 20;
/** After how many more there is another look, where all were too young to go. */
const LOOK_AFTER = 50;

/** Folds the oldest rounds away where there are too many rows: one row of their run stands for them. */
export function foldAway(model: Model, room: number = MAX_NODES): void {
  const { oldest } = model;
  if (oldest === undefined || model.nodes <= room) return;
  if (model.staying > 0 && model.nodes <= model.staying + LOOK_AFTER) return;
  const staying: RoundNode[] = [];
  let looked = 0;
  for (; looked < oldest.length && model.nodes > room; looked += 1) {
    const round = oldest[looked]!;
    if (isOver(round)) away(model, round);
    else if (!round.run.isOpened) staying.push(round);
  }
  oldest.splice(0, looked, ...staying);
  model.staying = model.nodes > room ? model.nodes : 0;
}

function isOver({ run, calls }: RoundNode): boolean {
  const isIdle = run.endedAt !== undefined || run.rounds.length > STAYING;
  return isIdle && !run.isOpened && calls.every(({ endedAt }) => endedAt !== undefined);
}

function away(model: Model, round: RoundNode): void {
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
  while (run.notes.length > 0 && run.notes[0]!.at <= folded.endedAt) {
    run.notes.shift();
    model.nodes -= 1;
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
