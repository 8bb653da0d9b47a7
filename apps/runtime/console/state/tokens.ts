import type { Tokens } from "./model.ts";

export const noTokens: Tokens = {
  input_tokens: 0,
  output_tokens: 0,
  cached_input_tokens: 0,
  reasoning_tokens: 0,
};

/** Adds tokens up, kind by kind. */
export function sumOfTokens(a: Tokens | undefined, b: Tokens): Tokens {
  if (a === undefined) return b;
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cached_input_tokens: a.cached_input_tokens + b.cached_input_tokens,
    reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
  };
}
