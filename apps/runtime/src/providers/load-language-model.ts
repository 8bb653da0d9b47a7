import type { LanguageModelLike } from "./ai-sdk-model.ts";
import type { ProviderKind, ProviderPlan } from "./provider-settings.ts";

/** What a provider package is given; the chat-compatible one alone takes the last three. */
interface PackageSettings {
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  readonly fetch: typeof globalThis.fetch;
  readonly name?: string;
  readonly includeUsage?: boolean;
  readonly supportsStructuredOutputs?: boolean;
}

type Method = "languageModel" | "responses" | "chat";
type Provider = { readonly [Key in Method]: (modelId: string) => LanguageModelLike };
type Create = (settings: PackageSettings) => Provider;

interface Source {
  readonly packageName: string;
  readonly create: string;
  readonly method: Method;
}

const SOURCES: Readonly<Record<ProviderKind, Source>> = {
  anthropic: { packageName: "@ai-sdk/anthropic", create: "createAnthropic", method: "languageModel" },
  openai: { packageName: "@ai-sdk/openai", create: "createOpenAI", method: "responses" },
  "openai-chat": { packageName: "@ai-sdk/openai", create: "createOpenAI", method: "chat" },
  google: { packageName: "@ai-sdk/google", create: "createGoogleGenerativeAI", method: "languageModel" },
  "openai-compatible": {
    packageName: "@ai-sdk/openai-compatible",
    create: "createOpenAICompatible",
    method: "languageModel",
  },
};

/**
 * Loads the package of a provider and makes the model. The import is not a literal one: the packages' own types
 * need a browser's library and looser checks than this project's.
 */
export async function loadLanguageModel(
  plan: ProviderPlan,
  fetch: typeof globalThis.fetch,
): Promise<LanguageModelLike> {
  const { packageName, create, method } = SOURCES[plan.kind];
  const loaded = (await import(packageName)) as Readonly<Record<string, Create>>;
  const provider = loaded[create]?.({
    baseURL: plan.baseUrl,
    apiKey: plan.apiKey,
    fetch,
    ...(plan.kind === "openai-compatible" ? compatibleSettings(plan) : {}),
  });
  if (provider === undefined)
    throw new Error(`${packageName} has no ${create}; another version is installed`);
  return provider[method](plan.ref.id);
}

function compatibleSettings(plan: ProviderPlan): Partial<PackageSettings> {
  const supportsStructuredOutputs = plan.capabilities?.nativeSchema ?? false;
  return { name: plan.ref.provider, includeUsage: true, supportsStructuredOutputs };
}
