import { isBasisError, type RunReport } from "@basis/core";
import type { ModelMessage } from "../providers/model.ts";
import { healSession } from "./heal-session.ts";
import type { RunContext } from "./run-context.ts";
import type { RunEnd } from "./run-end.ts";
import type { TurnPorts } from "./run-turn.ts";
import { LeaseLostError } from "./session-writer.ts";

/** A run that has ended, and where its turn began. */
export interface Closing {
  readonly end: RunEnd;
  readonly text: string;
  readonly from: number;
  readonly ports: TurnPorts;
}

/**
 * Leaves the session as the next turn may find it, whatever ended this one: no open call, no open turn; rolled back
 * when it was cancelled, with a notice of what had been done already. Then writes the account.
 */
export async function closeRun(run: RunContext, { end, text, from, ports }: Closing): Promise<RunReport> {
  const settled = await settle(run, { end, from, ports }).catch((error: unknown): RunEnd => ({
    outcome: "failed",
    failure: error,
  }));
  const { outcome, stoppedBy, failure, approvalId } = settled;
  if (failure !== undefined) run.emit("error", { code: codeOf(failure), message: messageOf(failure) });
  run.emit("run_finished", {
    status: outcome,
    ...(stoppedBy && { stopped_by: stoppedBy }),
    ...(failure === undefined ? {} : { error: messageOf(failure) }),
    usage: run.usage.toEvent(),
  });
  return {
    runId: run.scope.run,
    outcome,
    usage: run.usage.subtree,
    ...(stoppedBy && { stoppedBy }),
    ...(failure === undefined ? {} : { failure }),
    ...(approvalId && { approvalId }),
    transcript: { sessionId: run.scope.session, from, to: run.writer.len },
    sink: `events of session ${run.scope.session}`,
    text,
  };
}

async function settle(run: RunContext, { end, from, ports }: Omit<Closing, "text">): Promise<RunEnd> {
  if (end.failure instanceof LeaseLostError) return end;
  const { writer, ledger, clock, emit, scope } = run;
  if (end.outcome === "parked") {
    await writer.update({ runTurn: null, pendingApprovals: 1 });
    return end;
  }
  await healSession(scope.session, { store: ports.store, ledger, writer, now: clock.now(), emit });
  if (end.outcome !== "cancelled" || writer.len === from) {
    await writer.update({ runTurn: null });
    return end;
  }
  const notice = await noticeOfEffects(run);
  await writer.cancel({
    to: from,
    reason: "cancelled",
    runTurn: null,
    ...(notice && { messages: [notice] }),
  });
  return end;
}

/** What a cancelled turn did to the world stays visible to the model. */
async function noticeOfEffects({ ledger, scope }: RunContext): Promise<ModelMessage | undefined> {
  const done = (await ledger.intentsOf(scope.session)).filter((intent) => intent.runId === scope.run);
  if (done.length === 0) return undefined;
  const names = done.map(
    (intent) => `${intent.toolName} (${intent.finishedAt ? "done" : "outcome unknown"})`,
  );
  return {
    role: "user",
    content: `[A turn was cancelled after it had run: ${names.join(", ")}. Look before you rely on it.]`,
  };
}

function codeOf(failure: unknown): string {
  return isBasisError(failure) ? failure.code : "internal";
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
