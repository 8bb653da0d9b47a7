import { emptyUsage } from "@basis/core";
import type { SessionRecord } from "@mobkit/session";
import type { EventEmitter } from "../../events/event-emitter.ts";
import type { BasisEvent, EventData } from "../../events/event-schema.ts";
import type { HostStore } from "../../store/host-store.ts";
import type { RunContext } from "../run/run-context.ts";
import { wireUsage } from "../run/run-usage.ts";
import { tellMissingRows } from "./complete-log.ts";

/** A run that a queue hands out, and hands out again when its worker has died. It keeps its id. */
export interface QueuedRun {
  readonly id: string;
  /** The session's length when it was queued. */
  readonly from: number;
  readonly worker: string;
  /** `first`: no worker had it before; `lost`: the queue has given it to another. */
  standing(): Promise<"first" | "again" | "lost">;
}

/** The run had ended already: only the queue had not heard of it. */
export class RunOverError extends Error {
  override readonly name = "RunOverError";
  readonly end: Pick<EventData<"run_finished">, "status" | "error" | "stopped_by" | "output_status">;

  constructor(end: RunOverError["end"]) {
    super("the run has ended already");
    this.end = end;
  }
}

/** The queue has given the run to another worker. */
export class RunGivenAwayError extends Error {
  override readonly name = "RunGivenAwayError";

  constructor() {
    super("the queue has given the run to another worker");
  }
}

/** Where a queued run is looked for. */
export interface QueuedPlace {
  readonly store: HostStore;
  readonly events: EventEmitter;
  readonly head: SessionRecord;
}

/** What a worker before this one did of a run. */
export interface BegunRun {
  /** Its start is in the log. */
  readonly isTold: boolean;
  /** Rows of it are in the transcript. */
  readonly isWritten: boolean;
}

/**
 * How far a run was begun by a worker that is gone. To be asked under the session's lease, before anything is written. No clock
 * is asked: those of two machines may differ by any time.
 *
 * @throws RunOverError, RunGivenAwayError
 */
export async function begunBefore(
  run: QueuedRun,
  { store, events, head }: QueuedPlace,
): Promise<BegunRun | undefined> {
  const standing = await run.standing();
  if (standing === "lost") throw new RunGivenAwayError();
  if (standing === "first") return undefined;
  const isTold = (await events.sessionOf(run.id)) !== undefined;
  if (head.runTurn === run.id) return { isTold, isWritten: true };
  if (isTold)
    for await (const event of eventsOf(run, events, head.id))
      if (event.type === "run_finished") throw new RunOverError(event.data);
  const rows = await rowsOf(run, store, head);
  if (rows === "none") return isTold ? { isTold, isWritten: false } : undefined;
  // Its end was written, and lost with its process before it was told: how it ended is seen where it ended.
  if (rows === "last") return { isTold, isWritten: true };
  await tellEnd(run, { store, events, head });
  throw new RunOverError({ status: "completed" });
}

/** Whether the session has rows of a run behind the place where it was queued, and those of no other behind them. */
async function rowsOf(
  run: QueuedRun,
  store: HostStore,
  { id, baseLen, len }: SessionRecord,
): Promise<"none" | "last" | "before others"> {
  const from = Math.max(baseLen, Math.min(run.from, len));
  let rows: "none" | "last" | "before others" = "none";
  if (from === len) return rows;
  for await (const { turnId } of store.read(id, { from, to: len })) {
    if (turnId === run.id) rows = "last";
    else if (rows === "last") rows = "before others";
  }
  return rows;
}

/** Tells what the log lacks of a run that the session has gone on behind. */
async function tellEnd({ id: run }: QueuedRun, { store, events, head }: QueuedPlace): Promise<void> {
  const scope = { session: head.id, run };
  await tellMissingRows({ events, store, scope, head });
  const none = wireUsage(emptyUsage);
  const usage = { self: none, subtree: none, complete: false };
  events.emit(scope, "run_finished", { status: "completed", usage });
  await events.flush();
}

/** What the log tells of a run, the newest first, back to its start. */
export async function* eventsOf(
  { id }: Pick<QueuedRun, "id">,
  events: EventEmitter,
  session: string,
): AsyncGenerator<BasisEvent> {
  for await (const event of events.readBack(session)) {
    if (event.run !== id) continue;
    yield event;
    if (event.type === "run_started") return;
  }
}

/** Workers that may die under one run before it is given up. */
const MAX_WORKERS = 5;

/** Tells that a worker goes on with a run whose worker is gone. @throws when too many have died under it. */
export async function takeOver(context: RunContext, run: QueuedRun, events: EventEmitter): Promise<void> {
  let workers = 1;
  for await (const event of eventsOf(run, events, context.scope.session))
    if (event.type === "notice" && event.data.code === "taken_over") workers += 1;
  if (workers >= MAX_WORKERS) throw new Error(`given up: ${workers} workers ended while they ran it`);
  context.emit("notice", {
    code: "taken_over",
    text: `worker ${run.worker} goes on with the run of one that is gone`,
  });
  await events.flush();
}
