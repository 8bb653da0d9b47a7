type Environment = Readonly<Record<string, string | undefined>>;

const byKey: readonly (readonly [string, string])[] = [
  ["ANTHROPIC_API_KEY", "anthropic/claude-sonnet-4-5"],
  ["OPENAI_API_KEY", "openai/gpt-5"],
  ["GOOGLE_GENERATIVE_AI_API_KEY", "google/gemini-2.5-pro"],
  ["GEMINI_API_KEY", "google/gemini-2.5-pro"],
];

/** The model for whoever names none: that of the first provider whose key is in the environment. */
export function defaultModelName(env: Environment): string | undefined {
  return byKey.find(([key]) => env[key])?.[1];
}
