import type { StoppedBy } from "@basis/core";
import type { RunAccount } from "../../runs/run-account.ts";
import type { ExitCode } from "../terminal/exit-code.ts";
import { finishProse, finishTyped, type Finishing, type ToldRun } from "./run-outcome.ts";

/** Tells how a run of another process ended, word by word as if it had run here; answers its exit code. */
export function finishAccount({ end, text, output }: RunAccount, finishing: Finishing): ExitCode {
  const { status, stopped_by: stoppedBy, error, approval_id: approvalId } = end;
  const failure = error === undefined ? undefined : new Error(error);
  const report: ToldRun = {
    outcome: status,
    text,
    ...(stoppedBy !== undefined && { stoppedBy: stoppedBy as StoppedBy }),
    ...(failure && { failure }),
    ...(approvalId !== undefined && { approvalId }),
  };
  if (output === undefined) return finishProse(report, finishing);
  return finishTyped({ ...output, error: failure, report }, finishing);
}
