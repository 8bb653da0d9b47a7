import { ApprovalError } from "../approval-error.ts";

/** A call's result that the model reads as an error, in these words alone. */
export class RefusedCall extends Error {
  override toString(): string {
    return this.message;
  }
}

/** How `@basis/hooks` marks the tools that it guards. */
const GUARDED = Symbol.for("basis.guarded-tool");

/** How `@basis/hooks` marks a question about an input that it rewrote: the framework shows a person another. */
const UNSHOWN = Symbol.for("basis.unshown-call");

/** True when guards ask about an input that no person can be shown. */
export function isUnshown(about: object | undefined): boolean {
  return about !== undefined && UNSHOWN in about;
}

/** Why a guarded tool is not gated, as words after its name; undefined for any other. A guard inside could rewrite what was allowed. */
export function whyGuardedInside(tool: object): string | undefined {
  if (!(GUARDED in tool)) return undefined;
  return "is guarded already, and its guards could rewrite what was allowed: write guardTools(approveTools(…))";
}

/** The error about a tool that could run past the gate; `reason` reads after its name. */
export function ungated(tool: string, reason: string): ApprovalError {
  return new ApprovalError("unguarded_tool", `the tool '${tool}' ${reason}`, { details: { tool, reason } });
}
