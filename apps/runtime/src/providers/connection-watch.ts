import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";

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
 * Source: the channels `undici:request:create` and `undici:client:sendHeaders` of undici.
 */
export function watchedFetch(fetch: Fetch = globalThis.fetch): Fetch {
  return async (input, init) => {
    const listener = init?.signal ? listeners.get(init.signal) : undefined;
    if (listener === undefined) return await fetch(input, init);
    const response = await followConnections().run(listener, () => fetch(input, init));
    listener();
    return response;
  };
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
