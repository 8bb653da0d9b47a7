import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { ModelError } from "./model-error.ts";

type Fetch = typeof globalThis.fetch;

const listeners = new WeakMap<AbortSignal, () => void>();
const requests = new WeakMap<object, () => void>();
let calls: AsyncLocalStorage<() => void> | undefined;

/**
 * Calls `onConnected` when a `watchedFetch` that was given `signal` has a connection and has sent its request,
 * at the latest with the answer's headers.
 */
export function onConnection(signal: AbortSignal, onConnected: () => void): void {
  listeners.set(signal, onConnected);
}

/**
 * `fetch` that tells `onConnection` of its connection. A server may hold back its headers for long (while it
 * loads a model), so headers say nothing of the connection; Node's own HTTP client announces it.
 * An answer that is a page for people comes from another place than a model: it is refused as `not_found`.
 * Source: the channels `undici:request:create` and `undici:client:sendHeaders` of undici.
 */
export function watchedFetch(provider: string, fetch: Fetch = globalThis.fetch): Fetch {
  return async (input, init) => {
    const listener = init?.signal ? listeners.get(init.signal) : undefined;
    if (listener === undefined) return noPage(provider, await fetch(input, init));
    const response = await followConnections().run(listener, () => fetch(input, init));
    listener();
    return noPage(provider, response);
  };
}

/** True for a page that people read: no model answers with one. */
export function isWebPage({ ok, headers }: Response): boolean {
  return ok && /^text\/html\b/i.test(headers.get("content-type") ?? "");
}

function noPage(provider: string, response: Response): Response {
  if (!isWebPage(response)) return response;
  response.body?.cancel().catch(() => undefined);
  const { status } = response;
  throw new ModelError(
    "not_found",
    `${provider} (${status}): its address answers with a web page, not as a model`,
    {
      details: { status },
    },
  );
}

/** Subscribes once, with the first watched request. */
function followConnections(): AsyncLocalStorage<() => void> {
  if (calls !== undefined) return calls;
  const storage = new AsyncLocalStorage<() => void>();
  subscribe("undici:request:create", (message) => {
    const listener = storage.getStore();
    if (listener !== undefined) requests.set((message as { request: object }).request, listener);
  });
  subscribe("undici:client:sendHeaders", (message) => {
    requests.get((message as { request: object }).request)?.();
  });
  calls = storage;
  return storage;
}
