import type { RunReport } from "@basis/core";
import type { OutputAttempt } from "@basis/typed-output";
import { ParkedSessionError } from "../agent/turn/run-end.ts";
import { wireUsage, type WireUsage } from "../agent/run/run-usage.ts";
import { RpcError } from "./rpc-error.ts";
import { wireOutput, type WireOutput } from "./wire-output.ts";

/** A turn by its names. */
export interface TurnNames {
  readonly run: string;
  readonly session: string;
  readonly member: string;
}

/** How a turn ended. */
export interface TurnEnd extends TurnNames {
  readonly status: RunReport["outcome"];
  readonly stopped_by?: string;
  readonly text: string;
  readonly error?: string;
  readonly approval_id?: string;
  /** Of a typed turn: the value, or why there is none. */
  readonly output?: WireOutput;
  readonly usage?: WireUsage;
}

/** A turn that came to its end, and of a typed one what came of its value. */
export interface FinishedTurn {
  readonly report: RunReport;
  readonly attempt?: OutputAttempt<unknown>;
}

/** How a turn ended. One without the value that it was run for has failed, unless something else ended it. */
export function endOf(names: TurnNames, { report, attempt }: FinishedTurn): TurnEnd {
  const { outcome, stoppedBy, text = "", failure, approvalId, usage } = report;
  const isOver = outcome === "completed" || stoppedBy === "output";
  const lacksValue = attempt !== undefined && attempt.status !== "accepted";
  const status = !isOver || attempt === undefined ? outcome : lacksValue ? "failed" : "completed";
  return {
    ...names,
    status,
    ...(!isOver && stoppedBy && { stopped_by: stoppedBy }),
    text,
    ...(failure !== undefined && { error: messageOf(failure) }),
    ...(approvalId !== undefined && { approval_id: approvalId }),
    ...(attempt && { output: wireOutput(attempt) }),
    usage: wireUsage(usage),
  };
}

/** A prompt for a session that waits leaves it waiting; anything else that ends a run so is a failure. */
export function refusalOf(names: TurnNames): (error: unknown) => TurnEnd {
  return (error) => {
    const text = "";
    const message = messageOf(error);
    if (!(error instanceof ParkedSessionError)) return { ...names, status: "failed", text, error: message };
    return { ...names, status: "parked", text, error: message, approval_id: error.approvalId };
  };
}

/** A run that a server does not know. */
export function notFound(run: string): RpcError {
  const message = `this server knows no run ${JSON.stringify(run)}; its events tell how it ended`;
  return new RpcError("not_found", message, { kind: "unknown_run" });
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
