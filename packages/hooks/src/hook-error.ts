import { BasisError, isBasisError, type BasisErrorOptions, type JsonObject } from "@basis/core";

/** Where in a configuration something is wrong. `line` and `column` count from 1; `pointer` is a JSON pointer. */
export interface ConfigurationProblem extends JsonObject {
  readonly path: string;
  readonly line: number;
  readonly pointer: string;
}

/** A failure's facts. `said` quotes the program or the thrown error: for the trail and the reporter, never for a model. */
export interface FailureDetails extends JsonObject {
  readonly said: string;
}

/** Each code and the details that come with it. The first group is thrown while opening or binding, the second while a participant is asked. */
export interface HookErrorDetails {
  readonly invalid_file: ConfigurationProblem;
  readonly unreadable_file: { readonly path: string };
  readonly unsupported_schema: { readonly path: string; readonly found: string; readonly supported: number };
  readonly invalid_spec: { readonly pointer: string };
  readonly invalid_participant: { readonly name: string };
  readonly invalid_workspace: { readonly workspace: string };
  readonly unsafe_global_directory: { readonly path: string };
  readonly untrusted_workspace: {
    readonly path: string;
    readonly workspace: string;
    readonly names: readonly string[];
  };
  /** `changes` says in words what differs from what was trusted. */
  readonly modified_workspace: {
    readonly path: string;
    readonly workspace: string;
    readonly changes: readonly string[];
  };
  /** `unpinned` says of each hook why. */
  readonly unpinned_code: {
    readonly path: string;
    readonly workspace: string;
    readonly unpinned: readonly string[];
  };
  readonly invalid_trust_file: { readonly path: string };
  readonly reload_refused: { readonly names: readonly string[] };
  /** `reason` reads after the tool's name. */
  readonly unguarded_tool: { readonly tool: string; readonly reason: string };
  readonly threw: FailureDetails;
  readonly timed_out: FailureDetails;
  readonly aborted: FailureDetails;
  readonly invalid_answer: FailureDetails;
  readonly wrong_event: FailureDetails;
  readonly request_too_large: FailureDetails;
  readonly not_started: FailureDetails;
  readonly exited: FailureDetails;
  readonly output_too_large: FailureDetails;
  readonly silent: FailureDetails;
}

/** Every code of a `HookError`. */
export type HookErrorCode = keyof HookErrorDetails;

/** The codes that say why a participant could not answer. */
export type FailureCode = {
  [Code in HookErrorCode]: HookErrorDetails[Code] extends FailureDetails ? Code : never;
}[HookErrorCode];

/**
 * The one error of this package. Opening throws it for a configuration that cannot be used; a participant throws it
 * to say in words of its own why it cannot answer (`message` reads after the participant's name and may reach a model).
 */
export class HookError<Code extends HookErrorCode = HookErrorCode> extends BasisError<
  Code,
  HookErrorDetails[Code] & JsonObject
> {
  constructor(
    code: Code,
    message: string,
    options: BasisErrorOptions<HookErrorDetails[Code] & JsonObject> & {
      readonly details: HookErrorDetails[Code] & JsonObject;
    },
  ) {
    super(code, message, options);
    // Stated, so that it is recognised also where a bundler has renamed the class.
    this.name = "HookError";
  }

  /** True for an error of this class, whichever copy of this package made it; lets `code` narrow `details`. */
  static is(value: unknown): value is AnyHookError {
    return isBasisError(value, "HookError");
  }
}

/** A `HookError` whose `code` narrows its `details`. */
export type AnyHookError = { [Code in HookErrorCode]: HookError<Code> }[HookErrorCode];
