import type { TokenUsage } from "@basis/core";
import { isContextLength } from "./context-length.ts";
import {
  isModelError,
  ModelError,
  type AnyModelError,
  type ModelErrorCode,
  type ModelErrorDetails,
} from "./model-error.ts";
import { readErrorFacts, type ErrorFacts } from "./provider-answer.ts";
import { retryAfterMs } from "./retry-after.ts";

const MAX_MESSAGE = 500;

/** The codes of an error that the provider itself sent. */
type AnswerCode = Extract<
  ModelErrorCode,
  | "rate_limited"
  | "overloaded"
  | "server_error"
  | "quota_exceeded"
  | "auth"
  | "not_found"
  | "bad_request"
  | "context_length"
  | "stream_error"
>;

/** What providers call things, in the order in which the words decide. */
const BY_WORD: readonly (readonly [AnswerCode, readonly string[]])[] = [
  ["quota_exceeded", ["insufficient_quota", "billing"]],
  ["rate_limited", ["rate_limit", "resource_exhausted"]],
  ["overloaded", ["overload", "unavailable"]],
  ["auth", ["authentication", "permission", "unauthenticated", "api_key"]],
  ["not_found", ["not_found"]],
  ["bad_request", ["invalid", "bad_request", "context_length", "too_large", "failed_precondition"]],
  ["server_error", ["server_error", "api_error", "internal", "timeout", "deadline_exceeded"]],
];

const BY_STATUS: ReadonlyMap<number, AnswerCode> = new Map<number, AnswerCode>([
  [401, "auth"],
  [402, "quota_exceeded"],
  [403, "auth"],
  [404, "not_found"],
  [408, "server_error"],
  [409, "server_error"],
  [429, "rate_limited"],
  [503, "overloaded"],
  [529, "overloaded"],
]);

type AnswerDetails = ModelErrorDetails["stream_error"];

/** What `classifyError` knows besides the error. */
export interface ErrorContext {
  readonly provider: string;
  readonly nowMs: number;
  /** Texts that no message may repeat. */
  readonly secrets: readonly string[];
  readonly usage: TokenUsage | undefined;
}

/**
 * Turns whatever a provider package threw or streamed into a `ModelError`. A status below 500 decides by itself;
 * without one, or above, the provider's own words do. The package's error is not kept as the cause: it holds the
 * whole request.
 */
export function classifyError(error: unknown, context: ErrorContext): AnyModelError {
  if (isModelError(error)) return error;
  const network = networkFailure(error);
  if (network !== undefined) return networkError(network, context);
  const facts = readErrorFacts(error);
  return answerError(codeOf(facts, error), facts, context);
}

function codeOf(facts: ErrorFacts, error: unknown): AnswerCode {
  const { status, words } = facts;
  if (isContextLength(facts)) return "context_length";
  const byWord = BY_WORD.find(([, terms]) => terms.some((term) => words.includes(term)))?.[0];
  if (status !== undefined && status < 500) {
    const code = BY_STATUS.get(status) ?? "bad_request";
    return code === "rate_limited" && byWord === "quota_exceeded" ? byWord : code;
  }
  if (byWord !== undefined) return byWord;
  if (status !== undefined) return BY_STATUS.get(status) ?? "server_error";
  return isRefusedByPackage(error) ? "bad_request" : "stream_error";
}

/** The provider package itself would not send the request. */
function isRefusedByPackage(error: unknown): boolean {
  const name = error instanceof Error ? error.name : "";
  return ["AI_UnsupportedFunctionalityError", "AI_InvalidPromptError", "AI_InvalidArgumentError"].includes(
    name,
  );
}

function answerError(code: AnswerCode, facts: ErrorFacts, context: ErrorContext): AnyModelError {
  const { status, headers } = facts;
  const details = detailsOf(facts, context);
  const told = status === undefined ? "" : ` (${status})`;
  return new ModelError(code, `${context.provider}${told}: ${clean(facts.message, context.secrets)}`, {
    details,
    ...(context.usage === undefined ? {} : { usage: context.usage }),
    ...(headers?.["x-should-retry"] === "false" ? { retryable: false } : {}),
  }) as AnyModelError;
}

function detailsOf(
  { status, type, param, headers }: ErrorFacts,
  { nowMs, secrets }: ErrorContext,
): AnswerDetails {
  const requestId = headers?.["request-id"] ?? headers?.["x-request-id"];
  const pauseMs = retryAfterMs(headers, nowMs);
  return {
    ...(status !== undefined && { status }),
    ...(type !== undefined && { type }),
    ...(param !== undefined && { param: clean(param, secrets) }),
    ...(requestId !== undefined && { requestId }),
    ...(pauseMs !== undefined && { retryAfterMs: pauseMs }),
  };
}

/** The system's or the HTTP client's own error, wherever in the chain of causes it is. */
function networkFailure(error: unknown): NodeJS.ErrnoException | undefined {
  let current: unknown = error;
  for (let depth = 0; current instanceof Error && depth < 8; depth += 1) {
    const { code } = current as NodeJS.ErrnoException;
    if (typeof code === "string" && /^(E[A-Z_]+$|UND_ERR_|ERR_TLS|CERT_|DEPTH_|SELF_SIGNED)/.test(code))
      return current;
    if (current instanceof TypeError && ["terminated", "fetch failed"].includes(current.message)) {
      if (!(current.cause instanceof Error)) return current;
    }
    current = current.cause;
  }
  return undefined;
}

function networkError(failure: NodeJS.ErrnoException, context: ErrorContext): AnyModelError {
  const reason = failure.code ?? failure.message;
  const usage = context.usage === undefined ? {} : { usage: context.usage };
  const told = clean(failure.message || reason, context.secrets);
  return new ModelError("network", `${context.provider}: the connection failed: ${told}`, {
    details: { reason },
    cause: failure,
    ...usage,
  });
}

/** Shorter keys are placeholders that a local server is given; taking `x` out of a text would leave it unreadable. */
const MIN_SECRET = 6;

function clean(text: string, secrets: readonly string[]): string {
  let cleaned = text;
  for (const secret of secrets) if (secret.length >= MIN_SECRET) cleaned = cleaned.replaceAll(secret, "***");
  return cleaned.length > MAX_MESSAGE ? `${cleaned.slice(0, MAX_MESSAGE)}…` : cleaned;
}
