import type { LanguageModelV3Usage } from "@ai-sdk/provider";
import { isJsonObject, type JsonObject, type TokenUsage } from "@basis/core";

/** A provider package's count as ours; what it leaves open counts as zero. */
export function toTokenUsage(usage: LanguageModelV3Usage): TokenUsage {
  const { inputTokens, outputTokens } = usage;
  return {
    inputTokens:
      inputTokens.total ??
      (inputTokens.noCache ?? 0) + (inputTokens.cacheRead ?? 0) + (inputTokens.cacheWrite ?? 0),
    outputTokens: outputTokens.total ?? (outputTokens.text ?? 0) + (outputTokens.reasoning ?? 0),
    cachedInputTokens: inputTokens.cacheRead ?? 0,
    reasoningTokens: outputTokens.reasoning ?? 0,
  };
}

/**
 * What a raw stream event tells of tokens so far, for the account of a round that fails before its end.
 * Reads Anthropic's `message_start` and `message_delta`, OpenAI's `usage` and `response.usage`, Google's
 * `usageMetadata`.
 */
export function usageInRawEvent(raw: unknown): Partial<TokenUsage> | undefined {
  if (!isJsonObject(raw)) return undefined;
  for (const holder of [raw, raw["message"], raw["response"]]) {
    if (!isJsonObject(holder)) continue;
    const usage = holder["usage"] ?? holder["usageMetadata"];
    if (isJsonObject(usage)) return countsOf(usage);
  }
  return undefined;
}

function countsOf(usage: JsonObject): Partial<TokenUsage> {
  const cacheRead = first(usage, ["cache_read_input_tokens"]);
  const cacheWritten = first(usage, ["cache_creation_input_tokens"]);
  const input = first(usage, ["input_tokens", "prompt_tokens", "promptTokenCount"]);
  const output = first(usage, ["output_tokens", "completion_tokens", "candidatesTokenCount"]);
  return {
    ...(input === undefined ? {} : { inputTokens: input + (cacheRead ?? 0) + (cacheWritten ?? 0) }),
    ...(output === undefined ? {} : { outputTokens: output }),
    ...(cacheRead === undefined ? {} : { cachedInputTokens: cacheRead }),
  };
}

function first(usage: JsonObject, names: readonly string[]): number | undefined {
  for (const name of names) {
    const count = usage[name];
    if (typeof count === "number") return count;
  }
  return undefined;
}
