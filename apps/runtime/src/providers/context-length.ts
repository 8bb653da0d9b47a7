import type { ErrorFacts } from "./provider-answer.ts";

/** Codes and types that say nothing else than that the request is longer than the model reads. */
const CODES: readonly string[] = [
  "context_length_exceeded",
  "exceed_context_size",
  "context_window_exceeded",
];

/** What those providers write that have no code for it; looked at only beside a refusal of the request itself. */
const WORDINGS: readonly RegExp[] = [
  /prompt is too long: \d+ tokens/i, // Anthropic
  /input length and `?max_tokens`? exceed context limit/i, // Anthropic
  /input token count.{0,40}exceeds the maximum number of tokens/i, // Google
  /maximum (?:context|prompt) length is \d+/i, // OpenRouter, vLLM, Mistral, xAI
  /input is too long for requested model/i, // Bedrock
  /exceeds the (?:available context size|context window)/i, // llama.cpp, OpenAI
  /reduce the length of the messages/i, // Groq
];

/** True for a refusal because the request is longer than what the model reads. */
export function isContextLength({ status, words, messages }: ErrorFacts): boolean {
  if (status !== undefined && status !== 400 && status !== 413 && status !== 422) return false;
  if (CODES.some((code) => words.includes(code))) return true;
  const isRefusal = status !== undefined || words.includes("invalid");
  return isRefusal && WORDINGS.some((wording) => messages.some((text) => wording.test(text)));
}
