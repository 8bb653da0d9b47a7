import { allowAll, denyAll, type Approver } from "@basis/approval";
import { isInteractive, nobodyToAsk, terminalApprover } from "../approvals/terminal-approver.ts";

/** What `--approve` takes. */
export const approveModes: ("ask" | "never" | "always" | "park")[] = ["ask", "never", "always", "park"];

/** Leaves every question open in the approval store. */
const parkAll: Approver = Object.freeze({ name: "park", approve: () => ({ decision: "park" }) as const });

/** Who answers for a mode. `ask` without a terminal denies and says so; floors and deny rules stand under every mode. */
export function approverFor(mode: (typeof approveModes)[number]): Approver {
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
