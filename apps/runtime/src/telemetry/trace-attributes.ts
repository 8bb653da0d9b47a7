import type { Attributes } from "@opentelemetry/api";
import { isBasisError, type TokenUsage } from "@basis/core";
import type { TracedRun } from "./run-trace.ts";
import { genAi, OTHER_ERROR, providerNames } from "./trace-names.ts";

/** Provider and model in the words of the conventions. */
export function modelAttributes({ provider, id }: TracedRun["model"]): Attributes {
  return { [genAi.provider]: providerNames.get(provider) ?? provider, [genAi.requestModel]: id };
}

/** A call, as spans name it. */
export function callAttributes(toolCallId: string, toolName: string): Attributes {
  return { [genAi.toolCallId]: toolCallId, [genAi.toolName]: toolName };
}

/** What a round used; zeros of what many providers do not tell are left out. */
export function usageAttributes(usage: TokenUsage): Attributes {
  return {
    [genAi.inputTokens]: usage.inputTokens,
    [genAi.outputTokens]: usage.outputTokens,
    ...(usage.cachedInputTokens > 0 && { [genAi.cachedTokens]: usage.cachedInputTokens }),
    ...(usage.reasoningTokens > 0 && { [genAi.reasoningTokens]: usage.reasoningTokens }),
  };
}

/** An error's class, never its text: that may quote what was said. */
export function errorType(error: unknown): string {
  if (isBasisError(error)) return error.code;
  return error instanceof Error ? error.name : OTHER_ERROR;
}
