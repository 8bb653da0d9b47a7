/** Tokens counted by a provider, summed over model rounds. Used by typed-output, session and child-policy. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of `inputTokens` that a prompt cache served. */
  readonly cachedInputTokens: number;
  /** The part of `outputTokens` that was reasoning. */
  readonly reasoningTokens: number;
}

/** The usage of a run that asked nobody. */
export const emptyUsage: TokenUsage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
});

/** The sum of two usages; what either leaves out counts as zero. */
export function addUsage(left: Partial<TokenUsage>, right: Partial<TokenUsage>): TokenUsage {
  return {
    inputTokens: (left.inputTokens ?? 0) + (right.inputTokens ?? 0),
    outputTokens: (left.outputTokens ?? 0) + (right.outputTokens ?? 0),
    cachedInputTokens: (left.cachedInputTokens ?? 0) + (right.cachedInputTokens ?? 0),
    reasoningTokens: (left.reasoningTokens ?? 0) + (right.reasoningTokens ?? 0),
  };
}
