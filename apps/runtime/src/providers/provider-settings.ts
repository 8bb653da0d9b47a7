import { parseModelRef, type ModelRef } from "@basis/core";
import { ModelError } from "./model-error.ts";
import type { ModelCapabilities } from "./model.ts";

/** The wire a provider speaks: Anthropic messages, OpenAI responses, OpenAI chat, Google, or chat as others copy it. */
export type ProviderKind = "anthropic" | "openai" | "openai-chat" | "google" | "openai-compatible";

/** A provider named by the host besides the built-in ones, or instead of one of them. */
export interface ProviderSetting {
  /** Default `openai-compatible`. */
  readonly kind?: ProviderKind;
  readonly baseUrl?: string;
  /** The environment variable that holds the key. Without it an `openai-compatible` endpoint is asked without a key. */
  readonly keyVariable?: string;
  /** What the endpoint is able to do, where that is known better than the built-in table. */
  readonly capabilities?: ModelCapabilities;
}

/** Where settings come from. */
export interface ProviderSources {
  /** Default: the process's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly providers?: Readonly<Record<string, ProviderSetting>>;
}

/** Everything a model is reached with. */
export interface ProviderPlan {
  readonly ref: ModelRef;
  readonly kind: ProviderKind;
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly capabilities?: ModelCapabilities;
}

interface Entry {
  readonly kind: ProviderKind;
  readonly keyVariables: readonly string[];
  readonly urlVariables: readonly string[];
  /** Used when nothing else is set. */
  readonly defaultUrl?: string;
  readonly setting?: ProviderSetting;
}

const BUILT_IN: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  [
    "anthropic",
    {
      kind: "anthropic",
      keyVariables: ["ANTHROPIC_API_KEY"],
      urlVariables: ["ANTHROPIC_BASE_URL"],
      defaultUrl: "https://api.anthropic.com/v1",
    },
  ],
  [
    "openai",
    {
      kind: "openai",
      keyVariables: ["OPENAI_API_KEY"],
      urlVariables: ["OPENAI_BASE_URL"],
      defaultUrl: "https://api.openai.com/v1",
    },
  ],
  [
    "google",
    {
      kind: "google",
      keyVariables: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
      urlVariables: ["GOOGLE_BASE_URL"],
      defaultUrl: "https://generativelanguage.googleapis.com/v1beta",
    },
  ],
  [
    "openai-compatible",
    { kind: "openai-compatible", keyVariables: ["BASIS_API_KEY"], urlVariables: ["BASIS_BASE_URL"] },
  ],
]);

/** The version segment that an endpoint's address ends with; both spellings of the address are in use. */
const VERSION_PATH: Partial<Record<ProviderKind, string>> = { anthropic: "v1", google: "v1beta" };

/**
 * How the model `provider/id` is reached, or a `ModelError` that says what to set. Asks nobody.
 *
 * Providers: `anthropic`, `openai`, `google`, `openai-compatible` (`BASIS_BASE_URL`), those of
 * `sources.providers`, and any `NAME` whose `NAME_BASE_URL` is set (its key then is `NAME_API_KEY`, if any).
 * Keys are read from the environment only.
 *
 * @throws ModelError `invalid_model`, `unknown_provider`, `missing_key`, `invalid_key`, `missing_base_url`,
 * `invalid_base_url`.
 */
export function planProvider(name: string, sources: ProviderSources = {}): ProviderPlan {
  const ref = parseModelRef(name);
  if (ref === undefined) {
    throw new ModelError(
      "invalid_model",
      `"${name}" is no model; write provider/model, e.g. anthropic/claude-sonnet-4-5`,
      {
        details: { model: name },
      },
    );
  }
  const env = sources.env ?? process.env;
  const entry = entryOf(ref.provider, sources);
  const baseUrl = baseUrlOf(ref.provider, entry, env);
  const apiKey = keyOf(ref.provider, entry, env);
  return {
    ref,
    kind: entry.kind,
    baseUrl,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(entry.setting?.capabilities === undefined ? {} : { capabilities: entry.setting.capabilities }),
  };
}

/** True for a provider that `planProvider` knows, whether or not its key is set. */
export function isKnownProvider(provider: string, sources: ProviderSources = {}): boolean {
  return findEntry(provider, sources) !== undefined;
}

/** True for a variable that holds a model provider's key: a built-in one's, or `NAME_API_KEY` beside `NAME_BASE_URL`. */
export function isModelKey(variable: string, env: Environment): boolean {
  const builtIn = [...BUILT_IN.values()].flatMap(({ keyVariables }) => keyVariables);
  if (builtIn.includes(variable)) return true;
  const prefix = /^(.+)_API_KEY$/.exec(variable)?.[1];
  return prefix !== undefined && Boolean(env[`${prefix}_BASE_URL`]);
}

function entryOf(provider: string, sources: ProviderSources): Entry {
  const entry = findEntry(provider, sources);
  if (entry !== undefined) return entry;
  const known = [...BUILT_IN.keys(), ...Object.keys(sources.providers ?? {})];
  throw new ModelError(
    "unknown_provider",
    `the provider "${provider}" is not known (${known.join(", ")}); for an OpenAI-compatible endpoint set ${variableOf(provider)}_BASE_URL, or use openai-compatible/… with BASIS_BASE_URL`,
    { details: { provider, known } },
  );
}

function findEntry(
  provider: string,
  { env = process.env, providers = {} }: ProviderSources,
): Entry | undefined {
  const builtIn = BUILT_IN.get(provider);
  if (Object.hasOwn(providers, provider)) return configured(provider, providers[provider] ?? {});
  if (builtIn !== undefined) return builtIn;
  const prefix = variableOf(provider);
  if (!/^[A-Z][A-Z0-9_]*$/.test(prefix) || !env[`${prefix}_BASE_URL`]) return undefined;
  return {
    kind: "openai-compatible",
    keyVariables: [`${prefix}_API_KEY`],
    urlVariables: [`${prefix}_BASE_URL`],
  };
}

function configured(provider: string, setting: ProviderSetting): Entry {
  const kind = setting.kind ?? "openai-compatible";
  const base = BUILT_IN.get(kind === "openai-chat" ? "openai" : kind);
  const own = setting.keyVariable === undefined ? undefined : [setting.keyVariable];
  const inherited = kind === "openai-compatible" ? [] : (base?.keyVariables ?? []);
  const fallback = base?.defaultUrl;
  return {
    kind,
    keyVariables: own ?? inherited,
    urlVariables: [`${variableOf(provider)}_BASE_URL`],
    setting,
    ...(fallback === undefined ? {} : { defaultUrl: fallback }),
  };
}

function variableOf(provider: string): string {
  return provider.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
}

type Environment = Readonly<Record<string, string | undefined>>;

function baseUrlOf(provider: string, entry: Entry, env: Environment): string {
  const { variable, value } = toldBaseUrl(entry, env);
  if (value === undefined) {
    throw new ModelError("missing_base_url", `"${provider}" has no address; set ${variable}`, {
      details: { provider, variables: entry.urlVariables },
    });
  }
  if (!isPlainHttp(value)) {
    throw new ModelError(
      "invalid_base_url",
      `${variable} of "${provider}" must be an http(s) address without credentials`,
      { details: { provider, variable } },
    );
  }
  return withVersion(value.replace(/\/+$/, ""), VERSION_PATH[entry.kind]);
}

/** The address and where it was told: the host's setting, else the first variable set, else the built-in one. */
function toldBaseUrl(entry: Entry, env: Environment): { variable: string; value: string | undefined } {
  if (entry.setting?.baseUrl !== undefined)
    return { variable: "baseUrl", value: entry.setting.baseUrl.trim() };
  const variable = entry.urlVariables.find((name) => env[name]?.trim());
  if (variable !== undefined) return { variable, value: env[variable]?.trim() };
  return { variable: entry.urlVariables.join(" or "), value: entry.defaultUrl };
}

function isPlainHttp(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}

function withVersion(url: string, version: string | undefined): string {
  return version === undefined || /\/v\d[a-z0-9]*$/.test(url) ? url : `${url}/${version}`;
}

function keyOf(provider: string, entry: Entry, env: Environment): string | undefined {
  const variable = entry.keyVariables.find((name) => env[name]?.trim());
  if (variable === undefined) {
    const isOptional = entry.kind === "openai-compatible" && entry.setting?.keyVariable === undefined;
    if (isOptional) return undefined;
    throw new ModelError("missing_key", `"${provider}" needs a key; set ${entry.keyVariables.join(" or ")}`, {
      details: { provider, variables: entry.keyVariables },
    });
  }
  const key = env[variable]?.trim() ?? "";
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new ModelError(
    "invalid_key",
    `${variable} holds characters that no key has (a space, a line break, a quote mark?)`,
    {
      details: { provider, variable },
    },
  );
}
