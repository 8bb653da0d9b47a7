import { isBasisError, type RunReport } from "@basis/core";
import type { Later } from "../../events/event-log.ts";
import { tellMissingRows } from "./complete-log.ts";
import { cancelTurn } from "./cancel-turn.ts";
import { healSession } from "./heal-session.ts";
import { clearAccount, keepAccount } from "./kept-account.ts";
import type { RunContext } from "../run/run-context.ts";
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
    leaveOpen(error, run.signal, closing.turn.queued !== undefined);
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
  run.emit("run_finished", {
    status: outcome,
    ...(stoppedBy && { stopped_by: stoppedBy }),
    ...(failure === undefined ? {} : { error: messageOf(failure) }),
    ...(approvalId === undefined ? {} : { approval_id: approvalId }),
    ...(rolledBackTo === undefined ? {} : { rolled_back_to: rolledBackTo }),
    ...(closing.turn.waitingOutput && { output_status: outputStatusOf(end) }),
    usage: run.usage.toEvent(),
  });
  return {
    runId: run.scope.run,
    outcome,
    usage: run.usage.subtree,
    ...(stoppedBy && { stoppedBy }),
    ...(failure === undefined ? {} : { failure }),
    ...(approvalId && { approvalId }),
    transcript: {
      sessionId: run.scope.session,
      from: Math.min(closing.from, run.writer.len),
      to: run.writer.len,
    },
    sink: `events of session ${run.scope.session}`,
    text: closing.text,
  };
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
