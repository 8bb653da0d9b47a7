import type { BasisEvent, EventType } from "../../src/events/event-schema.ts";
import type { CallNode, Model, RoundNode, RunNode, SessionNode } from "./model.ts";

/** What a fold of one event works on. */
export interface FoldContext {
  readonly model: Model;
  readonly session: SessionNode;
  /** When it was told, in milliseconds since 1970. */
  readonly at: number;
}

/** The event of one type, or of several. */
export type EventOf<T extends EventType> = Extract<BasisEvent, { type: T }>;

/** The run of an event, made when its beginning was not read. Events without one belong to the session's last. */
export function runOf({ session, at }: FoldContext, event: Pick<BasisEvent, "run" | "seq">): RunNode {
  const id = event.run ?? lastRun(session)?.id ?? `${session.id}:unnamed`;
  const known = session.runs.get(id);
  if (known !== undefined) return known;
  const run: RunNode = {
    kind: "run",
    id,
    session,
    agent: session.agent ?? "",
    status: "running",
    why: undefined,
    approvalId: undefined,
    usage: undefined,
    task: "",
    rounds: [],
    notes: [],
    attempts: [],
    nextUsage: undefined,
    startedAt: at,
    endedAt: undefined,
    askedAt: at,
    live: "",
    from: event.seq ?? session.last,
    folded: undefined,
    isOpened: false,
  };
  session.runs.set(id, run);
  return run;
}

function lastRun({ runs }: SessionNode): RunNode | undefined {
  return [...runs.values()].at(-1);
}

/** Puts a round at the end of its run. */
export function addRound({ model, session }: FoldContext, round: RoundNode): void {
  session.rounds.set(round.id, round);
  round.run.rounds.push(round);
  model.nodes += 1;
  model.oldest?.push(round);
}

/** The number of a run's next round. */
export function nextNumber({ folded, rounds }: RunNode): number {
  return (folded?.rounds ?? 0) + rounds.length + 1;
}

/** The newest call of a run that its model gave this id. */
export function callNamed(run: RunNode, id: string): CallNode | undefined {
  for (const round of run.rounds.toReversed()) {
    const found = round.calls.find((call) => call.id === id);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Notes where a message stands in the transcript. A place that was rolled back is taken again. */
export function keepMessage({ session }: FoldContext, row: number, seq: number | undefined): void {
  if (seq !== undefined) session.messages.set(row, seq);
}
