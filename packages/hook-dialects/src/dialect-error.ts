import { BasisError, isBasisError, type BasisErrorOptions, type JsonObject } from "@basis/core";

/** An entry of a settings file that cannot be a guard here, and why. */
export interface RefusedEntry extends JsonObject {
  /** JSON pointer. */
  readonly pointer: string;
  readonly why: string;
}

/** Each code and the details that come with it. */
export interface DialectErrorDetails {
  readonly invalid_file: { readonly path: string; readonly pointer: string };
  readonly unsupported_entry: { readonly path: string; readonly entries: readonly RefusedEntry[] };
  readonly invalid_option: { readonly option: string };
}

/** Every code of a `DialectError`. */
export type DialectErrorCode = keyof DialectErrorDetails;

/** The one error of this package: settings that cannot be read whole, or a call that cannot be meant. */
export class DialectError<Code extends DialectErrorCode = DialectErrorCode> extends BasisError<
  Code,
  DialectErrorDetails[Code] & JsonObject
> {
  constructor(
    code: Code,
    message: string,
    options: BasisErrorOptions<DialectErrorDetails[Code] & JsonObject> & {
      readonly details: DialectErrorDetails[Code] & JsonObject;
    },
  ) {
    super(code, message, options);
    this.name = "DialectError";
  }

  /** True for an error of this class, whichever copy of this package made it; lets `code` narrow `details`. */
  static is(value: unknown): value is AnyDialectError {
    return isBasisError(value, "DialectError");
  }
}

/** A `DialectError` whose `code` narrows its `details`. */
export type AnyDialectError = { [Code in DialectErrorCode]: DialectError<Code> }[DialectErrorCode];
