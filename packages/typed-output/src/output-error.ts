import { BasisError, isBasisError, type JsonObject, type JsonValue, type RunReport } from "@basis/core";
import type { OutputAttempt } from "./output-result.ts";

/** What each code's `details` hold. */
export interface OutputErrorDetails {
  /** `defineOutput` was given something unusable. `pointer` is into the schema, empty when it concerns the whole. */
  readonly definition_error: {
    readonly pointer: string;
    readonly reason: DefinitionProblem;
    readonly vendor?: string;
  };
  /** The validator could not compile the schema; `pointer` is empty when the engine does not say where. */
  readonly schema_invalid: { readonly reason: string; readonly pointer: string };
  /** An optional package is needed and not installed. */
  readonly peer_missing: { readonly package: string; readonly version: string };
  /** A binding was given a model or a tool that it cannot drive. */
  readonly unusable_host: { readonly field: string; readonly reason: string };
  readonly empty_prompt: Record<string, never>;
  readonly impossible_bounds: { readonly bound: string; readonly value: JsonValue };
  readonly reservation_used: { readonly toolName: string };
  /** The host's validator threw, or answered neither accept nor reject. */
  readonly validator_failed: Record<string, never>;
  /** The spec's decoder threw. */
  readonly decoder_failed: Record<string, never>;
  /** The runner broke its contract or did not come back within the grace time. */
  readonly host_failed: { readonly reason: "threw" | "no_report" | "unresponsive" };
  readonly output_mismatch: { readonly at: string };
  readonly output_rejected: { readonly reasons: readonly string[] };
  readonly output_missing: { readonly ended: string };
  readonly output_truncated: { readonly limit: string };
  readonly output_refused: Record<string, never>;
  readonly output_bounded: { readonly by: string };
  readonly output_unsupported: { readonly at: string };
  readonly output_parked: { readonly approvalId: string };
  readonly output_cancelled: Record<string, never>;
  /** The run failed with an error that has no code of its own. */
  readonly output_failed: Record<string, never>;
}

/** Why a definition was refused. */
export type DefinitionProblem =
  | "bad_name"
  | "not_json"
  | "too_large"
  | "too_deep"
  | "no_json_schema"
  | "converter_failed"
  | "async_schema"
  | "data_reference"
  | "remote_reference"
  | "unresolved_reference"
  | "bad_pattern"
  | "unknown_draft"
  | "bad_elements";

/** The codes of this package. */
export type OutputErrorCode = keyof OutputErrorDetails;

/** What an `OutputError` can be built from. */
export interface OutputErrorOptions {
  readonly details?: JsonObject;
  readonly cause?: unknown;
  readonly attempt?: OutputAttempt<unknown>;
}

/**
 * This package's one error. `output()` throws it with the whole `attempt` and its `report`;
 * for a run that failed, message and code are those of the inner error, which is the `cause`
 * (so `code` may be a host's own). Narrow it with `OutputError.is(error, code)`.
 */
export class OutputError extends BasisError<OutputErrorCode | (string & {})> {
  override readonly name: string = "OutputError";
  /** The result that `output()` could not return as a value; absent for errors thrown before any result. */
  declare readonly attempt?: OutputAttempt<unknown>;

  constructor(code: OutputErrorCode | (string & {}), message: string, options: OutputErrorOptions = {}) {
    super(code, message, {
      ...(options.details && { details: options.details }),
      ...(options.cause !== undefined && { cause: options.cause }),
    });
    if (options.attempt) Object.defineProperty(this, "attempt", { value: options.attempt });
  }

  /** The run's account; absent when no turn existed. */
  get report(): RunReport | undefined {
    return this.attempt?.report;
  }

  /** True for an `OutputError` with that code, whose `details` are then known. */
  static is<Code extends OutputErrorCode>(
    error: unknown,
    code: Code,
  ): error is OutputError & { readonly code: Code; readonly details: OutputErrorDetails[Code] } {
    return isBasisError(error, "OutputError") && error.code === code;
  }
}

/** Makes an error of this package, its details typed by its code. */
export function outputError<Code extends OutputErrorCode>(
  code: Code,
  message: string,
  options: { readonly details: OutputErrorDetails[Code]; readonly cause?: unknown },
): OutputError {
  return new OutputError(code, message, {
    details: options.details as unknown as JsonObject,
    ...(options.cause !== undefined && { cause: options.cause }),
  });
}
