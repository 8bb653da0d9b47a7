import type { HookAnswer } from "../hook-decision.ts";
import type { HookRequest } from "../hook-request.ts";
import type { Reporter } from "../hook-report.ts";
import type { AskContext, HookParticipant } from "../participant.ts";

/** How a hook's code is verified, and who hears that it is not what was trusted. */
export interface CodeCheck {
  /** What differs, in words; undefined when nothing does. */
  problemOf(signal: AbortSignal): Promise<string | undefined>;
  readonly report: Reporter;
}

/**
 * A hook whose code is verified before each question. Code that is not what was trusted denies, whatever the
 * entry's `on_failure` says: otherwise breaking a guard would open it.
 */
export function verifiedHook(hook: HookParticipant, check: CodeCheck): HookParticipant {
  return {
    ...hook,
    intercept: async (request: HookRequest, context: AskContext): Promise<HookAnswer> => {
      const problem = await check.problemOf(context.signal);
      if (problem === undefined) return hook.intercept(request, context);
      const reason = `its code is not what was trusted: ${problem}`;
      const who = `hook '${hook.name}'`;
      const { event, toolCallId } = request;
      check.report(`${who} denies: ${reason}`, { kind: "warning", who, event, toolCallId });
      return { decision: "deny", reason };
    },
  };
}
