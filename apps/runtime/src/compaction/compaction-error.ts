import { BasisError, isBasisError, type JsonObject } from "@basis/core";

/** What each code of `CompactionError` tells. */
export interface CompactionErrorDetails {
  /** The session cannot be compacted now: a turn is open in it, or a call waits. */
  readonly not_settled: { readonly session: string };
  /** All of it is what is to be kept. */
  readonly nothing_to_summarise: { readonly messages: number };
  /** What has to stay is too much by itself. */
  readonly tail_too_large: { readonly messages: number; readonly tokens: number; readonly limit: number };
  readonly summary_empty: { readonly finish: string };
  /** In tokens, estimated; no more than `limit` were of use. */
  readonly summary_too_long: { readonly tokens: number; readonly limit: number };
  /** The model stopped before its end: `finish` says why. */
  readonly summary_cut_off: { readonly finish: string };
  /** The model called tools in place of an answer. */
  readonly summary_is_a_call: { readonly tool: string };
  /** Something in the store was redacted while the summary was written, which may repeat it. */
  readonly redacted_meanwhile: { readonly session: string };
}

/** Why a session was not compacted; it is as it was. */
export type CompactionErrorCode = keyof CompactionErrorDetails;

/** The compaction's one error class; a model that fails, or an abort, is told by its own error. */
export class CompactionError<Code extends CompactionErrorCode = CompactionErrorCode> extends BasisError<
  Code,
  CompactionErrorDetails[Code] & JsonObject
> {
  override readonly name: string = "CompactionError";

  constructor(code: Code, message: string, details: CompactionErrorDetails[Code]) {
    super(code, message, { details });
  }
}

/** Every `CompactionError` by its code. */
export type AnyCompactionError = {
  [Code in CompactionErrorCode]: CompactionError<Code>;
}[CompactionErrorCode];

/** True for a `CompactionError`. */
export function isCompactionError(value: unknown): value is AnyCompactionError {
  return isBasisError(value, "CompactionError");
}
