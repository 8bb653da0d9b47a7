import { driverFailure } from "./driver.ts";
import { sessionFailure, storeBusy } from "./store-failure.ts";

/** Who waits for a lock, and for how long at most. */
export interface LockWait {
  readonly path: string;
  readonly busyTimeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Tries until the file is not locked; the event loop runs between two tries.
 *
 * @throws SessionError `busy` when it stays locked; what else the driver threw, translated.
 */
export async function untilUnlocked<T>(attempt: () => T | Promise<T>, wait: LockWait): Promise<T> {
  const { path, busyTimeoutMs, signal } = wait;
  const start = performance.now();
  for (let tries = 0; ; tries += 1) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (driverFailure(error) !== "busy") throw sessionFailure(path, error);
      const waitedMs = performance.now() - start;
      if (waitedMs >= busyTimeoutMs) throw storeBusy(path, { waitedMs, cause: error });
    }
    await pauseBetweenTries(tries);
  }
}

/**
 * A short wait before the next try: longer each time, with jitter, so that processes do not march in step.
 * Real time, whatever clock the store was given: it is another process that is waited for.
 */
export function pauseBetweenTries(tries: number): Promise<void> {
  const delayMs = Math.min(1 + tries * 2, 20) * (0.5 + Math.random() / 2);
  return new Promise((resolve) => void setTimeout(resolve, delayMs));
}
