import { joinSignals, parseModelRef } from "@basis/core";
import type { Environment } from "../config/data-dir.ts";
import { isWebPage } from "../providers/connection-watch.ts";
import { defaultModelName } from "../providers/default-model.ts";
import { planProvider, type ProviderKind, type ProviderPlan } from "../providers/provider-settings.ts";
import { isPlayed } from "../providers/played-model.ts";
import type { Finding } from "./finding.ts";

/** How long an endpoint may take to answer. */
const TIMEOUT_MS = 15_000;

/** How endpoints are asked. */
export interface EndpointCheck {
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Default 15 seconds. */
  readonly timeoutMs?: number;
}

/**
 * Asks every provider whose key or address is set whether it takes the key and, for the model of a run, whether it
 * knows it. Nothing is generated, and no answer is shown: the providers' lists of models are asked, which costs nothing.
 */
export async function checkEndpoints(check: EndpointCheck): Promise<readonly Finding[]> {
  const { env } = check;
  const model = env["BASIS_MODEL"] || defaultModelName(env);
  const own = model === undefined || isPlayed(model) ? undefined : parseModelRef(model);
  const names = new Set([...(own === undefined ? [] : [own.provider]), ...providersIn(env)]);
  const plans = [...names].flatMap((provider) => {
    const id = own?.provider === provider ? own.id : undefined;
    const plan = planOf(`${provider}/${id ?? "any"}`, env);
    return plan === undefined ? [] : [{ plan, id }];
  });
  if (plans.length === 0)
    return [
      { section: "online", name: "models", level: "ok", text: "no provider is set up: nobody was asked" },
    ];
  return Promise.all(plans.map(({ plan, id }) => checkEndpoint(plan, id, check)));
}

/** Providers for which the environment has an address or a key. */
function providersIn(env: Environment): readonly string[] {
  const builtIn = ["anthropic", "openai", "google", "openai-compatible"];
  const named = Object.keys(env).flatMap((variable) => {
    const prefix = env[variable] ? /^([A-Z][A-Z0-9_]*)_BASE_URL$/.exec(variable)?.[1] : undefined;
    return prefix === undefined || prefix === "BASIS" ? [] : [prefix.toLowerCase()];
  });
  return [...builtIn, ...named];
}

/** Undefined where the offline checks tell what is missing. */
function planOf(name: string, env: Environment): ProviderPlan | undefined {
  try {
    return planProvider(name, { env });
  } catch {
    return undefined;
  }
}

async function checkEndpoint(
  plan: ProviderPlan,
  id: string | undefined,
  { signal, timeoutMs = TIMEOUT_MS }: EndpointCheck,
): Promise<Finding> {
  const { provider } = plan.ref;
  const host = new URL(plan.baseUrl).host;
  const asksForOne = id !== undefined && plan.kind !== "openai-compatible";
  const url = `${plan.baseUrl.replace(/\/+$/, "")}/models${asksForOne ? `/${encodeURIComponent(id)}` : ""}`;
  const began = performance.now();
  const joined = joinSignals(signal, AbortSignal.timeout(timeoutMs));
  const found = { section: "online", name: provider } as const;
  let status: number;
  let isPage = false;
  try {
    const answer = await fetch(url, {
      headers: headersOf(plan),
      // A key goes to the address that was set, and nowhere else.
      redirect: "manual",
      signal: joined.signal,
    });
    ({ status } = answer);
    isPage = isWebPage(answer);
    await answer.body?.cancel();
  } catch (error) {
    signal.throwIfAborted();
    const facts = { host, reason: reasonOf(error) };
    const text = `${host} was not reached: ${facts.reason}`;
    return {
      ...found,
      level: "problem",
      text,
      fix: "look at the network, a proxy, and the address if you set one",
      facts,
    };
  } finally {
    joined.release();
  }
  const facts = { host, status, ms: Math.round(performance.now() - began), ...(asksForOne && { model: id }) };
  return { ...found, facts, ...verdictOf({ status, isPage, host, model: asksForOne ? id : undefined }) };
}

function headersOf({ kind, apiKey }: ProviderPlan): Record<string, string> {
  if (apiKey === undefined) return {};
  const headers: Readonly<Record<ProviderKind, Record<string, string>>> = {
    anthropic: { "x-api-key": apiKey, "anthropic-version": "2023-06-01" },
    google: { "x-goog-api-key": apiKey },
    openai: { authorization: `Bearer ${apiKey}` },
    "openai-chat": { authorization: `Bearer ${apiKey}` },
    "openai-compatible": { authorization: `Bearer ${apiKey}` },
  };
  return headers[kind];
}

interface Answered {
  readonly status: number;
  /** It is for people, so from another place than a model. */
  readonly isPage: boolean;
  readonly host: string;
  readonly model: string | undefined;
}

function verdictOf({ status, isPage, host, model }: Answered): Pick<Finding, "level" | "text" | "fix"> {
  if (isPage)
    return {
      level: "problem",
      text: `${host} answers with a web page, not as a model`,
      fix: "look at the address that you set (often it ends in /v1), or at a portal of the network",
    };
  if (status >= 200 && status < 300) {
    const text = model === undefined ? `${host} takes the key` : `${host} takes the key and knows ${model}`;
    return { level: "ok", text };
  }
  if (status === 401 || status === 403)
    return {
      level: "problem",
      text: `${host} refuses the key (${status})`,
      fix: "set a key that is valid there",
    };
  if (status === 404 && model !== undefined)
    return {
      level: "problem",
      text: `${host} does not know ${model}`,
      fix: "name another model in BASIS_MODEL",
    };
  const text = `${host} answers with ${status} when it is asked for its models`;
  if (status === 429)
    return { level: "warning", text, fix: "it is reached and limits requests; wait, or look at your quota" };
  return { level: "warning", text, fix: "it is reached; whether it takes the key, the first run shows" };
}

/** The code of what went wrong, which names no address and no key. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "it failed";
  if (error.name === "TimeoutError") return "no answer in time";
  const { cause } = error;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return typeof code === "string" ? code : "the connection failed";
}
