import { fold } from "./fold.ts";
import { emptyModel, type FoldedNode, type RoundNode, type RunNode } from "./model.ts";
import { readValue } from "./told-event.ts";

/** Puts rounds that were folded away back into their run, from its events of that time. The run stays open from then on. */
export function unfold({ run }: FoldedNode, events: readonly unknown[]): void {
  const { session } = run;
  const model = emptyModel();
  for (const event of events) fold(model, readValue(event));
  const again = model.sessions.get(session.id)?.runs.get(run.id);
  if (again === undefined) return;
  run.folded = undefined;
  const back = again.rounds.filter(({ id }) => !session.rounds.has(id));
  for (const round of back) adopt(run, round);
  // One that stayed, since it waited or was looked at, may stand between them.
  run.rounds.push(...back);
  run.rounds.sort((one, other) => one.number - other.number);
  const known = new Set(run.notes.map(({ key }) => key));
  run.notes.unshift(
    ...again.notes.filter(({ key }) => !known.has(key)).map((note) => ({ ...note, session })),
  );
  for (const { number, call } of again.attempts) {
    const attempt = run.attempts.find((each) => each.number === number);
    if (attempt === undefined || call === undefined) continue;
    attempt.call = call;
    call.attempt = attempt;
  }
}

function adopt(run: RunNode, round: RoundNode): void {
  const { rounds, calls } = run.session;
  round.run = run;
  rounds.set(round.id, round);
  for (const call of round.calls) calls.set(call.key, call);
}
