import {
  systemClock,
  untilAborted,
  withDeadline,
  type Clock,
  type ModelInfo,
  type ModelRef,
} from "@basis/core";
import { ChildPolicyError } from "./child-policy-error.ts";

/** What a host knows of models. */
export interface ModelDirectory {
  isRegistered(provider: string): boolean | Promise<boolean>;
  /** The context window in tokens, from a model listing; undefined when the listing reports none. */
  contextWindow?(
    model: ModelRef,
    options: { readonly signal: AbortSignal },
  ): number | undefined | Promise<number | undefined>;
}

/** How long a directory may take over one question. */
const DIRECTORY_TIMEOUT_MS = 5000;

/** Windows by directory and model, for the process: what a listing answered once, also that it reports none. */
const windows = new WeakMap<ModelDirectory, Map<string, Promise<number | undefined>>>();

/**
 * Checks that a model's provider is there, and fills in its context window if it can be had.
 * A known window asks no listing; a missing one asks one per directory and model, however many ask at once.
 * A failing listing leaves the window unknown, this time.
 *
 * @throws ChildPolicyError `unregistered_provider`; the signal's reason.
 */
export async function resolveModel(
  model: ModelInfo,
  models: ModelDirectory,
  options: { readonly signal?: AbortSignal | undefined; readonly clock?: Clock | undefined },
): Promise<ModelInfo> {
  const { signal = new AbortController().signal, clock = systemClock } = options;
  await requireProvider(model, models, { signal, clock });
  if (model.contextWindow !== undefined) return model;
  const contextWindow = await untilAborted(signal, () => listedWindow(model, models, clock));
  return contextWindow === undefined
    ? model
    : Object.freeze({ id: model.id, provider: model.provider, contextWindow });
}

/** A directory that cannot say whether a provider is there counts as not having it. */
async function requireProvider(
  { provider, id }: ModelInfo,
  models: ModelDirectory,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<void> {
  let cause: unknown;
  try {
    const options = { timeoutMs: DIRECTORY_TIMEOUT_MS, signal, clock };
    if (await withDeadline(options, () => models.isRegistered(provider))) return;
  } catch (error) {
    signal.throwIfAborted();
    cause = error;
  }
  throw new ChildPolicyError(
    "unregistered_provider",
    `the provider '${provider}' of the child's model '${id}' is not registered with this host`,
    { details: { provider, model: id }, cause },
  );
}

function listedWindow(model: ModelInfo, models: ModelDirectory, clock: Clock): Promise<number | undefined> {
  const known = windows.get(models) ?? new Map<string, Promise<number | undefined>>();
  windows.set(models, known);
  const key = JSON.stringify([model.provider, model.id]);
  const found = known.get(key);
  if (found !== undefined) return found;
  const listing = withDeadline({ timeoutMs: DIRECTORY_TIMEOUT_MS, clock }, ({ signal }) =>
    models.contextWindow?.({ provider: model.provider, id: model.id }, { signal }),
  ).then(usableWindow, () => {
    known.delete(key);
    return undefined;
  });
  known.set(key, listing);
  return listing;
}

function usableWindow(tokens: unknown): number | undefined {
  return Number.isSafeInteger(tokens) && (tokens as number) > 0 ? (tokens as number) : undefined;
}
