import { ALLOW, type HookAnswer } from "../hook-decision.ts";
import type { HookRequest, PostToolRequest } from "../hook-request.ts";
import type { AskContext, Interceptor } from "../participant.ts";

/** One question that a recording interceptor was asked. */
export interface AskRecord {
  readonly method: "intercept" | "review";
  readonly mode: AskContext["mode"];
  readonly request: HookRequest;
}

/** An interceptor that remembers what it was asked. */
export interface RecordingInterceptor extends Interceptor {
  readonly asked: readonly AskRecord[];
  review(request: PostToolRequest, context: AskContext): HookAnswer | PromiseLike<HookAnswer>;
}

/**
 * Remembers every question and answers as `inner` does, or allows. It is asked about the events that `inner` is asked
 * about; without one, about both.
 */
export function recordingInterceptor(name: string, inner?: Interceptor): RecordingInterceptor {
  const asked: AskRecord[] = [];
  const events = inner?.events ?? (inner && !inner.review ? ["pre_tool_use"] : undefined);
  return {
    name,
    tools: inner?.tools,
    effect: inner?.effect,
    events,
    timeoutMs: inner?.timeoutMs,
    shadow: inner?.shadow,
    asked,
    intercept(request, context) {
      asked.push({ method: "intercept", mode: context.mode, request });
      return inner?.intercept(request, context) ?? ALLOW;
    },
    review(request, context) {
      asked.push({ method: "review", mode: context.mode, request });
      if (inner === undefined) return ALLOW;
      return inner.review ? inner.review(request, context) : inner.intercept(request, context);
    },
  };
}
