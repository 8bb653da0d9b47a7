import type { Model, SessionNode } from "./model.ts";
import { rowKey } from "./row-key.ts";

/** The call that waits for a person, as far as the log tells. */
export interface Waiting {
  readonly session: SessionNode;
  readonly approvalId: string;
  readonly tool: string;
  /** The row that tells more. */
  readonly row: string;
}

/** The calls that wait for an answer, the oldest first. */
export function waitingCalls({ sessions }: Model): readonly Waiting[] {
  const waiting: Waiting[] = [];
  for (const session of sessions.values())
    for (const call of session.calls.values()) {
      const { permission, endedAt, executedAt } = call;
      if (permission?.state !== "parked" || permission.approvalId === undefined) continue;
      if (endedAt === undefined && executedAt === undefined)
        waiting.push({ session, approvalId: permission.approvalId, tool: call.tool, row: rowKey(call) });
    }
  return waiting;
}
