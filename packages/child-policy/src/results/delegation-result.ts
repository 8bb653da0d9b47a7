import type { ToolResult } from "@basis/core";

/** How a delegated run ended: with its last text, or with a failure in words. */
export interface DelegationEnd {
  readonly text?: string | undefined;
  readonly failure?: string | undefined;
}

/** What the delegating agent reads of its child. */
export function delegationResult({ text = "", failure }: DelegationEnd): ToolResult {
  if (failure !== undefined) {
    const what = failure.trim() === "" ? "no reason was given" : failure;
    return { output: `the delegated run failed: ${what}`, isError: true };
  }
  const output = text.trim() === "" ? "The subagent finished without saying anything." : text;
  return { output, isError: false };
}
