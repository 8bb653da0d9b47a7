import { isSessionError } from "@mobkit/session";
import type { OutputAttempt } from "@basis/typed-output";
import { readWaitingOutput } from "../agent/turn/kept-account.ts";
import { LeaseLostError } from "../agent/transcript/lease-keeper.ts";
import { eventsOf, RunGivenAwayError, RunOverError } from "../agent/turn/queued-run.ts";
import { ParkedSessionError } from "../agent/turn/run-end.ts";
import type { PreparedRun } from "../compose.ts";
import type { HostState } from "../store/open-state.ts";
import { promptOf } from "./queued-images.ts";
import { queuedSpec } from "./queued-output.ts";
import type { NewTurn } from "./queued-turn.ts";
import { HandBackError } from "../agent/turn/run-end.ts";
import type { TurnEnding } from "./turn-queue.ts";

/** Where a queued turn is run. */
export interface TurnPlace {
  readonly state: HostState;
  /** Aborts with a `HandBackError`. */
  readonly signal: AbortSignal;
}

/**
 * Runs a claimed turn, in prose or to its value, and answers how it ended.
 *
 * @throws HandBackError, RunOverError, RunGivenAwayError, LeaseLostError, SessionError `lease_held`: it has not ended here.
 */
export async function runClaimed(
  prepared: PreparedRun,
  turn: NewTurn,
  place: TurnPlace,
): Promise<TurnEnding> {
  try {
    return await (turn.output === undefined
      ? proseEnding(prepared, turn, place)
      : typedEnding(prepared, { ...turn, output: turn.output }, place));
  } catch (error) {
    // Its log says so, and the question is still there.
    if (error instanceof ParkedSessionError) return { outcome: "parked", reason: error.message };
    throw error;
  }
}

async function proseEnding(prepared: PreparedRun, turn: NewTurn, { state }: TurnPlace): Promise<TurnEnding> {
  const { outcome, failure } = await prepared.run(await promptOf(turn, state.store.blobs));
  return outcome === "failed" ? { outcome, reason: messageOf(failure) } : { outcome };
}

async function typedEnding(
  prepared: PreparedRun,
  turn: NewTurn & Required<Pick<NewTurn, "output">>,
  { state, signal }: TurnPlace,
): Promise<TurnEnding> {
  const spec = await queuedSpec(turn.output);
  const prompt = await promptOf(turn, state.store.blobs);
  const attemptsUsed = await judgedBefore(turn, state);
  const attempt = await prepared.output(spec, prompt, { attemptsUsed });
  if (attempt.status === "failed" && isPassing(attempt.error)) throw attempt.error;
  signal.throwIfAborted();
  return endingOf(attempt);
}

/** Candidates that count already: before the session waited, and at a worker that is gone. */
async function judgedBefore(
  { id, sessionId, prompt }: NewTurn,
  { store, events }: HostState,
): Promise<number> {
  const wasBegun = (await store.head(sessionId)).runTurn === id;
  const waited = wasBegun || prompt === undefined ? await readWaitingOutput(store, sessionId) : undefined;
  for await (const event of wasBegun ? eventsOf({ id }, events, sessionId) : [])
    if (event.type === "output_attempted") return Math.max(waited?.attempts ?? 0, event.data.attempt);
  return waited?.attempts ?? 0;
}

/** What ends the work on a turn here, and not the turn. */
function isPassing(error: unknown): boolean {
  const kinds = [HandBackError, RunOverError, RunGivenAwayError, LeaseLostError, ParkedSessionError];
  return kinds.some((kind) => error instanceof kind) || isSessionError(error, "lease_held");
}

/** How a run ended of whose end only the queue had not heard. */
export function overEnding({
  status,
  stopped_by: by,
  output_status: output,
  error,
}: RunOverError["end"]): TurnEnding {
  if (by === "output" && output !== undefined) return withoutValue(output);
  return { outcome: status, ...(error !== undefined && { reason: error }) };
}

function endingOf(attempt: OutputAttempt<unknown>): TurnEnding {
  const { status, report } = attempt;
  if (status === "accepted") return { outcome: "completed" };
  if (status === "failed") return { outcome: "failed", reason: messageOf(attempt.error) };
  if (status === "unsupported") return { outcome: "failed", reason: attempt.hint };
  const { outcome, stoppedBy } = report;
  if (outcome === "completed" || stoppedBy === "output") return withoutValue(status);
  return { outcome };
}

/** A turn without the value that it was queued for has failed, unless something else ended it. */
function withoutValue(status: string): TurnEnding {
  return { outcome: "failed", reason: `no answer (${status})` };
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
