import { completeLog } from "./complete-log.ts";
import { caught, whenThere, type Later } from "../../events/event-log.ts";
import { healSession, type ParkedCall } from "./heal-session.ts";
import { askAgain, deliverQueued, NothingWaitsError, openTurn } from "./open-turn.ts";
import { takeOver, type BegunRun } from "./queued-run.ts";
import { beginningOf } from "./run-beginning.ts";
import type { RunContext } from "../run/run-context.ts";
import { ParkedSessionError, type RunEnd } from "./run-end.ts";
import { runRounds } from "./run-rounds.ts";
import type { Turn, TurnPorts } from "./run-turn.ts";
import { Transcript } from "../transcript/transcript.ts";

/** A run that goes to its end. */
export interface RunToEnd {
  readonly turn: Turn;
  /** The turn's, unless it was written by a worker that is gone. */
  readonly prompt: Turn["prompt"];
  readonly ports: TurnPorts;
  /** By a worker that is gone. */
  readonly begun: BegunRun | undefined;
}

/** What is known of a turn however it ends. */
export interface TurnSoFar {
  /** Where a cancel goes back to; moved on past whatever it must not take back. */
  rollBackTo: number;
  /** The last text that the model wrote. */
  text: string;
  transcript?: Transcript;
}

/** A run that goes to its end, and how far it has come. */
export interface TurnParts extends RunToEnd {
  readonly so: TurnSoFar;
}

/** Opens the turn in its session, as earlier runs may have left it, and plays its rounds. */
export function takeTurn(run: RunContext, parts: TurnParts): Later<RunEnd> {
  const { turn, ports, so } = parts;
  return whenThere(openAgain(run, parts), (end) => {
    if (end !== undefined) return end;
    const hear = (text: string): void => {
      so.text = text;
    };
    return whenThere(Transcript.load(run, ports), (transcript) => {
      so.transcript = transcript;
      return runRounds(run, { store: ports.store, transcript, director: turn.director(ports), hear });
    });
  });
}

/** Answers how the turn ends where it does not go on. */
function openAgain(run: RunContext, parts: TurnParts): Later<RunEnd | undefined> {
  const { turn, ports, begun } = parts;
  return whenThere(tellBefore(run, ports), () =>
    whenThere(begun === undefined ? undefined : takeOver(run, turn.queued!, ports.events), () =>
      whenThere(settleBefore(run, parts), (parked) => {
        run.ending.throwIfAborted();
        return open(run, parked, parts);
      }),
    ),
  );
}

/** What the log lacks of earlier runs, unless this process wrote the last of them itself. */
function tellBefore({ writer, scope }: RunContext, ports: TurnPorts): Later<void> {
  const { head } = writer;
  const isComplete = head.runTurn === null && ports.transcripts?.isWhereLeft(head) === true;
  if (!isComplete) return completeLog({ events: ports.events, store: ports.store, scope, head });
}

/** Heals the session and delivers what was sent to it; answers the calls that wait for an approval. */
function settleBefore(run: RunContext, parts: TurnParts): Later<readonly ParkedCall[]> {
  return whenThere(healSession(run, parts.ports), (parked) => {
    const [waiting] = parked;
    if (waiting === undefined) return whenThere(beginAnew(run, parts), () => parked);
    if (parts.prompt !== undefined) throw new ParkedSessionError(waiting.approvalId);
    return parked;
  });
}

/** Nothing of an earlier turn is open: what is delivered now stays there, and a cancel goes back to behind it. */
function beginAnew(run: RunContext, { ports, begun, so }: TurnParts): Later<void> {
  const { writer, scope } = run;
  return whenThere(writer.head.queuedInputs > 0 ? deliverQueued(run, ports.store) : 0, () =>
    whenThere(begun?.isWritten === true ? beginningOf(ports.store, scope) : writer.len, (length) => {
      so.rollBackTo = length;
    }),
  );
}

function open(
  run: RunContext,
  parked: readonly ParkedCall[],
  { turn, ports, begun, prompt }: TurnParts,
): Later<RunEnd | undefined> {
  return caught<RunEnd | undefined>(
    () =>
      whenThere(openTurn(run, { store: ports.store, ports, prompt, parked }), (approvalId) =>
        approvalId === undefined ? undefined : { outcome: "parked", approvalId },
      ),
    (error) => {
      if (begun?.isWritten !== true || !(error instanceof NothingWaitsError)) throw error;
      // Its last answer was written, and its worker gone before it closed the turn.
      return turn.waitingOutput === undefined ? { outcome: "completed" } : askAgain(run);
    },
  );
}
