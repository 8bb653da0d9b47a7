import { canonicalJson } from "@basis/core";
import { isSessionError, type SessionErrorCode, type SessionErrorDetails } from "../session-error.ts";

/** Fails unless the condition holds. */
export function ensure(condition: unknown, promise: string): asserts condition {
  if (!condition) throw new Error(`conformance: ${promise}`);
}

/** Fails unless both are the same JSON. */
export function ensureSame(actual: unknown, expected: unknown, promise: string): void {
  const [found, wanted] = [canonicalJson(actual), canonicalJson(expected)];
  ensure(found === wanted, `${promise}: found ${found}, expected ${wanted}`);
}

/** Fails unless the call is refused with that code; answers the refusal's details. */
export async function ensureRefused<Code extends SessionErrorCode>(
  call: Promise<unknown>,
  code: Code,
): Promise<SessionErrorDetails[Code]> {
  let answer: unknown;
  try {
    answer = await call;
  } catch (error) {
    if (isSessionError(error, code)) return error.details;
    throw new Error(`conformance: refused with ${code}, but it failed with ${String(error)}`, {
      cause: error,
    });
  }
  throw new Error(`conformance: refused with ${code}, but it answered ${canonicalJson(answer)}`);
}
