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

/** The sum of two usages; what either leaves out, and what is no number of tokens, counts as zero. */
export function addUsage(left: Partial<TokenUsage>, right: Partial<TokenUsage>): TokenUsage {
  return {
    inputTokens: tokens(left.inputTokens) + tokens(right.inputTokens),
    outputTokens: tokens(left.outputTokens) + tokens(right.outputTokens),
    cachedInputTokens: tokens(left.cachedInputTokens) + tokens(right.cachedInputTokens),
    reasoningTokens: tokens(left.reasoningTokens) + tokens(right.reasoningTokens),
  };
}

/** NaN in one round would let every later comparison with a budget pass. */
function tokens(count: number | undefined): number {
  return count !== undefined && count > 0 && count < Infinity ? count : 0;
}
