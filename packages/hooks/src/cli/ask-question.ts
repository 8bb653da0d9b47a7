import type { CallRecord } from "../audit-trail.ts";
import type { HookChain } from "../hook-chain.ts";
import type { HookOutcome } from "../hook-decision.ts";
import type { CallQuestion } from "./call-question.ts";

/** What a chain answered, and its record of it. */
export interface AskedChain {
  readonly outcome: HookOutcome;
  readonly record: Pick<CallRecord, "asked" | "notAsked" | "ms">;
}

/** A chain without participants keeps no record. */
const NOBODY: AskedChain["record"] = Object.freeze({ asked: [], notAsked: [], ms: 0 });

/** Really asks a chain about one call. @throws the signal's reason once it has aborted. */
export async function askQuestion(
  chain: HookChain,
  { call, result }: CallQuestion,
  signal: AbortSignal,
): Promise<AskedChain> {
  signal.throwIfAborted();
  const outcome = await (result === undefined
    ? chain.beforeCall(call, { signal })
    : chain.afterCall(call, result, { signal }));
  signal.throwIfAborted();
  return { outcome, record: chain.trail.at(-1) ?? NOBODY };
}
