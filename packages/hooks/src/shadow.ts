import type { AskContext, Interceptor } from "./interceptor.ts";
import type { HookRequest, PostToolRequest } from "./hook-request.ts";

/** The same interceptor, asked and recorded in the trail but never enforced: a way to try a guard on real calls. */
export function shadow(interceptor: Interceptor): Interceptor {
  const { review } = interceptor;
  const { name, tools, events, timeoutMs } = interceptor;
  return {
    name,
    tools,
    events,
    timeoutMs,
    shadow: true,
    intercept: (request: HookRequest, context: AskContext) => interceptor.intercept(request, context),
    ...(review && {
      review: (request: PostToolRequest, context: AskContext) => review.call(interceptor, request, context),
    }),
  };
}
