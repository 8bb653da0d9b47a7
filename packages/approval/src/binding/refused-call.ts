import { ApprovalError } from "../approval-error.ts";

/** A call's result that the model reads as an error, in these words alone. */
export class RefusedCall extends Error {
  override toString(): string {
    return this.message;
  }
}

/** The error about a tool that could run past the gate; `reason` reads after its name. */
export function ungated(tool: string, reason: string): ApprovalError {
  return new ApprovalError("unguarded_tool", `the tool '${tool}' ${reason}`, { details: { tool, reason } });
}
