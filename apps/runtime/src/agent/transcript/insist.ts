import { isSessionError } from "@mobkit/session";

const TRIES = 3;

/** Reasons of `store_unavailable` after which the work is surely not done, and will not be on a second try either. */
const DEFINITE: ReadonlySet<string> = new Set(["closed", "full", "log_full", "read_only", "replaced"]);

/** True for a failure of the store that does not say whether the work was done, or that passes. */
export function isUnclear(error: unknown): boolean {
  if (isSessionError(error, "store_unavailable")) return !DEFINITE.has(error.details.reason);
  return isSessionError(error, "busy");
}

/** True when work that may be done twice without harm is to be tried again after its `attempt`, counted from 1. */
export function mayInsist(error: unknown, attempt: number): boolean {
  return attempt < TRIES && isUnclear(error);
}

/** Does work that may be done twice without harm, again when the store does not say whether it was done. */
export async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!mayInsist(error, attempt)) throw error;
    }
  }
}
