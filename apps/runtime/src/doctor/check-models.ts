import type { Environment } from "../config/data-dir.ts";
import { defaultModelName } from "../providers/default-model.ts";
import { isModelKey, planProvider } from "../providers/provider-settings.ts";
import { isPlayed } from "../providers/played-model.ts";
import type { Finding } from "./finding.ts";

/** The model that a run would speak with, and which keys are set. No key is shown, nobody is asked. */
export function checkModels(env: Environment): readonly Finding[] {
  return [checkModel(env), checkKeys(env)];
}

function checkModel(env: Environment): Finding {
  const told = env["BASIS_MODEL"] || undefined;
  const model = told ?? defaultModelName(env);
  const found = { section: "models", name: "model", facts: { model: model ?? null } } as const;
  if (model === undefined)
    return {
      ...found,
      level: "warning",
      text: "no run knows which model to speak with",
      fix: "set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or give --model; without a key: basis demo",
    };
  const from = told === undefined ? "the provider whose key is set" : "BASIS_MODEL";
  if (isPlayed(model)) return { ...found, level: "ok", text: `${model}, from ${from}` };
  try {
    planProvider(model, { env });
    return { ...found, level: "ok", text: `${model}, from ${from}` };
  } catch (error) {
    const text = `${model}, from ${from}: ${(error as Error).message}`;
    return { ...found, level: "problem", text, fix: "set what is named, or another BASIS_MODEL" };
  }
}

function checkKeys(env: Environment): Finding {
  const set = Object.keys(env).filter((name) => env[name] && isModelKey(name, env));
  const moved = Object.keys(env).filter((name) => env[name] && name.endsWith("_BASE_URL"));
  const found = { section: "models", name: "keys", facts: { set, base_urls: moved } } as const;
  const places = moved.length === 0 ? "" : `; another address by ${moved.join(", ")}`;
  return {
    ...found,
    level: "ok",
    text: `${set.length === 0 ? "none is set" : `${set.join(", ")} set`}${places}`,
  };
}
