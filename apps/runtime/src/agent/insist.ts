import { isSessionError } from "@mobkit/session";

const TRIES = 3;

/** True for a failure of the store that does not say whether the work was done. */
export function isUnclear(error: unknown): boolean {
  return isSessionError(error, "busy") || isSessionError(error, "store_unavailable");
}

/** Does work that may be done twice without harm, again when the store does not say whether it was done. */
export async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isUnclear(error) || attempt === TRIES) throw error;
    }
  }
}
