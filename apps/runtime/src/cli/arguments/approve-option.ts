import { allowAll, denyAll, type Approver } from "@basis/approval";
import { isInteractive } from "../../approvals/ask-line.ts";
import { nobodyToAsk, terminalApprover } from "../../approvals/terminal-approver.ts";
import { choice, type Option } from "./option.ts";

/** What `--approve` takes. */
export type ApproveMode = "ask" | "never" | "always" | "park";

/** Who answers for consequential calls. */
export const approveOption: Option<ApproveMode> = choice(
  ["ask", "never", "always", "park"],
  "who answers for calls that change something: you at the terminal (default), nobody, everybody yes, or later. Refusals by rules and hooks stand under every mode",
);

/** Leaves every question open in the approval store. */
export const parkAll: Approver = Object.freeze({
  name: "park",
  approve: () => ({ decision: "park" }) as const,
});

/** Who answers for a mode. `ask` without a terminal denies and says so; floors and deny rules stand under every mode. */
export function approverFor(mode: ApproveMode): Approver {
  const terminal = { input: process.stdin, output: process.stderr };
  switch (mode) {
    case "always":
      return allowAll;
    case "never":
      return denyAll;
    case "park":
      return parkAll;
    case "ask":
      return isInteractive(terminal) ? terminalApprover(terminal) : nobodyToAsk;
  }
}
