import { BasisError, isBasisError, type JsonObject, type TokenUsage } from "@basis/core";

/** Which deadline passed: the connection, the first event, or the pause between two events. */
export type Watchdog = "connect" | "first_event" | "idle";

/** One complaint about a file: a JSON pointer and, where known, the line (from 1). */
export type FileProblem = {
  readonly pointer: string;
  readonly message: string;
  readonly line?: number;
};

/** Facts of an answer that was an error: `status` is HTTP's, `type` the provider's own word, `param` what it names of the request. */
export type ProviderAnswer = {
  readonly status?: number;
  readonly type?: string;
  readonly param?: string;
  readonly requestId?: string;
};

/** What each code of `ModelError` tells. The first group is found while opening a model, before any request. */
export interface ModelErrorDetails {
  readonly invalid_model: { readonly model: string };
  readonly unknown_provider: { readonly provider: string; readonly known: readonly string[] };
  readonly missing_key: { readonly provider: string; readonly variables: readonly string[] };
  readonly missing_base_url: { readonly provider: string; readonly variables: readonly string[] };
  readonly invalid_base_url: { readonly provider: string; readonly variable: string };
  readonly invalid_key: { readonly provider: string; readonly variable: string };
  readonly scripted_file: { readonly file: string; readonly problems: readonly FileProblem[] };
  /** The process leaves all turns to workers. */
  readonly no_model: Record<string, never>;
  readonly rate_limited: ProviderAnswer & { readonly retryAfterMs?: number };
  readonly overloaded: ProviderAnswer & { readonly retryAfterMs?: number };
  readonly server_error: ProviderAnswer & { readonly retryAfterMs?: number };
  readonly quota_exceeded: ProviderAnswer;
  readonly auth: ProviderAnswer;
  readonly not_found: ProviderAnswer;
  readonly bad_request: ProviderAnswer;
  /** The request is longer than the model reads. */
  readonly context_length: ProviderAnswer;
  readonly timeout: { readonly watchdog: Watchdog; readonly timeoutMs: number };
  readonly network: { readonly reason: string };
  readonly stream_error: ProviderAnswer & { readonly retryAfterMs?: number };
  readonly provider_executed_tool: { readonly toolName: string };
  readonly cassette_file: { readonly file: string; readonly problems: readonly FileProblem[] };
  /** `round` and `field` name the nearest recorded round and the first thing that differs from it. */
  readonly cassette_miss: {
    readonly file: string;
    readonly agent: string;
    readonly session: string;
    readonly round: number | null;
    readonly field: string | null;
  };
  readonly scripted_miss: {
    readonly file: string;
    readonly agent: string;
    readonly index: number;
    readonly session: string;
  };
}

/** Why a model could not be opened or a round not be finished. */
export type ModelErrorCode = keyof ModelErrorDetails;

const WORTH_REPEATING: ReadonlySet<ModelErrorCode> = new Set<ModelErrorCode>([
  "rate_limited",
  "overloaded",
  "server_error",
  "timeout",
  "network",
  "stream_error",
]);

/** What a `ModelError` is built from. */
export interface ModelErrorOptions<Details> {
  readonly details: Details;
  readonly cause?: unknown;
  /** Tokens that the failed round used, as far as the provider told. */
  readonly usage?: TokenUsage;
  /** Whether asking again may help; by the code when left out. */
  readonly retryable?: boolean;
}

/** The providers' one error class; test with `isModelError`, whose answer narrows `details` by `code`. */
export class ModelError<Code extends ModelErrorCode = ModelErrorCode> extends BasisError<
  Code,
  ModelErrorDetails[Code] & JsonObject
> {
  // Stated, so that it is recognised also where a bundler has renamed the class.
  override readonly name: string = "ModelError";
  /** Tokens that the failed round used, its earlier attempts included; absent when the provider told nothing. */
  declare readonly usage?: TokenUsage;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;

  constructor(code: Code, message: string, options: ModelErrorOptions<ModelErrorDetails[Code]>) {
    super(code, message, {
      details: options.details,
      ...(options.cause === undefined ? {} : { cause: options.cause }),
    });
    this.retryable = options.retryable ?? WORTH_REPEATING.has(code);
    if (options.usage !== undefined) this.usage = options.usage;
  }

  /** The same error with an account of tokens. */
  withUsage(usage: TokenUsage): ModelError<Code> {
    const { message, details, cause, retryable } = this;
    return new ModelError(this.code, message, { details, cause, retryable, usage });
  }

  override toJSON(): JsonObject {
    const base = super.toJSON();
    return this.usage === undefined ? base : { ...base, usage: { ...this.usage } };
  }
}

/** Every `ModelError` by its code. */
export type AnyModelError = { [Code in ModelErrorCode]: ModelError<Code> }[ModelErrorCode];

/** True for a `ModelError`, whichever copy of the package made it. */
export function isModelError(value: unknown): value is AnyModelError {
  return isBasisError(value, "ModelError");
}
