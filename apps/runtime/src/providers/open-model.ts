import type { ModelInfo } from "@basis/core";
import { aiSdkModel, type AiSdkModelOptions } from "./ai-sdk-model.ts";
import { watchedFetch } from "./connection-watch.ts";
import { knownCapabilities } from "./known-capabilities.ts";
import { loadLanguageModel } from "./load-language-model.ts";
import type { Model } from "./model.ts";
import type { RunSettings } from "./run-settings.ts";
import { planProvider, type ProviderPlan, type ProviderSources } from "./provider-settings.ts";

/** Where a model is found and how it is run. */
export interface OpenModelOptions extends ProviderSources, RunSettings {
  /** Default: Node's own. */
  readonly fetch?: typeof globalThis.fetch;
  /** Tokens the model reads at most, where the host knows it. */
  readonly contextWindow?: number | undefined;
}

/**
 * Opens the live model `provider/id`. Name, provider, address and key are checked here; the provider's package
 * is loaded with the first round, and nothing is sent before it.
 *
 * @throws ModelError with one of the codes of `planProvider`.
 */
export function openModel(name: string, options: OpenModelOptions = {}): Model {
  const plan = planProvider(name, options);
  const { fetch, contextWindow } = options;
  const ref: ModelInfo = contextWindow === undefined ? plan.ref : { ...plan.ref, contextWindow };
  return aiSdkModel({
    ...runSettings(options),
    ...requestSettings(plan),
    ref,
    capabilities: plan.capabilities ?? knownCapabilities(plan.kind, plan.ref.id),
    takesResultImages: plan.kind !== "openai-compatible" && plan.kind !== "openai-chat",
    load: () => loadLanguageModel(plan, watchedFetch(plan.ref.provider, fetch)),
    observesConnection: fetch === undefined,
    secrets: plan.apiKey === undefined ? [] : [plan.apiKey],
  });
}

function runSettings({ watchdogs, retries, clock, random }: OpenModelOptions): RunSettings {
  return {
    ...(watchdogs === undefined ? {} : { watchdogs }),
    ...(retries === undefined ? {} : { retries }),
    ...(clock === undefined ? {} : { clock }),
    ...(random === undefined ? {} : { random }),
  };
}

/** OpenAI keeps answers for a month and lets later requests refer to them; a durable session must not depend on it. */
function requestSettings({ kind }: ProviderPlan): Pick<AiSdkModelOptions, "providerOptions"> {
  return kind === "openai" ? { providerOptions: { openai: { store: false } } } : {};
}
