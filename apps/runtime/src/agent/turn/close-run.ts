import { isBasisError, type RunReport } from "@basis/core";
import type { Later } from "../../events/event-log.ts";
import { tellMissingRows } from "./complete-log.ts";
import { cancelTurn } from "./cancel-turn.ts";
import { healSession } from "./heal-session.ts";
import { clearAccount, keepAccount } from "./kept-account.ts";
import type { RunContext, Told } from "../run/run-context.ts";
import { leaveOpen, outputStatusOf, type RunEnd } from "./run-end.ts";
import type { Turn, TurnPorts } from "./run-turn.ts";

/** A run that has ended, and where its turn began. */
export interface Closing {
  readonly end: RunEnd;
  readonly text: string;
  /** The first row of this run. */
  readonly from: number;
  /** Where a cancel goes back to: before the turn, but behind what was delivered to the session meanwhile. */
  readonly rollBackTo: number;
  readonly turn: Pick<Turn, "waitingOutput" | "queued">;
  readonly ports: TurnPorts;
}

/** How a run left its session. */
interface Settled {
  readonly end: RunEnd;
  readonly rolledBackTo?: number | undefined;
}

/**
 * Leaves the session as the next turn may find it, whatever ended this one: no open turn, and no open call but those
 * that wait for an approval; rolled back when it was cancelled, with a notice of what had been done already. Then
 * writes the account.
 *
 * @throws HandBackError for a queued run whose store is away.
 */
export function closeRun(run: RunContext, closing: Closing): Later<RunReport> {
  if (run.writer.lost || run.writer.freed) return account(run, closing, closing);
  const failed = (error: unknown): Settled => {
    leaveOpen(error, run.ending, closing.turn.queued !== undefined);
    return { end: { outcome: "failed", failure: closing.end.failure ?? error } };
  };
  return settle(run, closing)
    .catch(failed)
    .then((settled) => account(run, closing, settled));
}

/** Tells the end in an event, and answers what there is to say of the run. */
function account(run: RunContext, closing: Closing, { end, rolledBackTo }: Settled): RunReport {
  const { outcome, stoppedBy, failure, approvalId } = end;
  if (failure !== undefined) run.emit("error", { code: codeOf(failure), message: messageOf(failure) });
  const told: Told<"run_finished"> = { status: outcome, usage: run.usage.toEvent() };
  if (stoppedBy !== undefined) told.stopped_by = stoppedBy;
  if (failure !== undefined) told.error = messageOf(failure);
  if (approvalId !== undefined) told.approval_id = approvalId;
  if (rolledBackTo !== undefined) told.rolled_back_to = rolledBackTo;
  if (closing.turn.waitingOutput !== undefined) told.output_status = outputStatusOf(end);
  run.emit("run_finished", told);
  const { session: sessionId } = run.scope;
  const { len } = run.writer;
  const report: { -readonly [Field in keyof RunReport]: RunReport[Field] } = {
    runId: run.scope.run,
    outcome,
    usage: run.usage.subtree,
    transcript: { sessionId, from: Math.min(closing.from, len), to: len },
    sink: `events of session ${sessionId}`,
    text: closing.text,
  };
  if (stoppedBy !== undefined) report.stoppedBy = stoppedBy;
  if (failure !== undefined) report.failure = failure;
  if (approvalId !== undefined) report.approvalId = approvalId;
  return report;
}

async function settle(run: RunContext, { end, rollBackTo, ports, turn }: Closing): Promise<Settled> {
  if (end.outcome === "cancelled") return { end, rolledBackTo: await cancelTurn(run, rollBackTo, ports) };
  const { writer, scope } = run;
  const { store, events } = ports;
  if (writer.unsure) await tellMissingRows({ events, store, scope, head: await store.head(scope.session) });
  const parked = await healSession(run, ports);
  const waited = writer.head.pendingApprovals > 0 ? (await store.head(scope.session)).pendingApprovals : 0;
  const pendingApprovals = parked.length - waited;
  const sideState =
    parked.length > 0
      ? keepAccount(run.bounds, turn.waitingOutput?.())
      : await clearAccount(store, scope.session);
  if (!writer.turnClosed || pendingApprovals !== 0 || sideState.length > 0)
    await writer.update({ runTurn: null, pendingApprovals, sideState, release: true });
  return { end };
}

function codeOf(failure: unknown): string {
  return isBasisError(failure) ? failure.code : "internal";
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
