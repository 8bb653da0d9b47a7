import { BasisError, isBasisError } from "@basis/core";

/** The facts that each code carries. */
export interface ChildPolicyErrorDetails {
  /** The policy answered `{refuse}`. */
  policy_refused: { readonly reason: string };
  /** The policy threw, took too long or answered no spec. */
  policy_failed: { readonly failure: "threw" | "timeout" | "nonsense" };
  /** A spec, roster or model that says nothing meaningful. */
  invalid_spec: { readonly field: string; readonly problem: string };
  /** Agent files that cannot be used: every problem, with its file and line (from 1). */
  agent_files: {
    readonly problems: readonly { readonly file: string; readonly line: number; readonly problem: string }[];
  };
  /** A set-up value that cannot work. */
  invalid_option: { readonly option: string; readonly problem: string };
  /** The child would have tools its parent lacks. */
  roster_wider: { readonly extra: readonly string[] };
  unregistered_provider: { readonly provider: string; readonly model: string };
  /** The plan is not the one that was approved. */
  plan_changed: { readonly approved: string; readonly found: string };
  /** The spawn tool's input has no meaning; the message teaches the working form. */
  spawn_input: { readonly problem: SpawnProblem };
  depth_limit: { readonly depth: number; readonly maxDepth: number };
  concurrent_limit: { readonly running: number; readonly maxConcurrent: number };
  lifetime_limit: { readonly started: number; readonly maxPerRun: number };
  token_pool: { readonly used: number; readonly limit: number };
  wall_clock: { readonly elapsedMs: number; readonly limitMs: number };
  /** A child with this id is running already. */
  agent_active: { readonly agentId: string };
}

/** What is wrong with a spawn input. */
export type SpawnProblem =
  | "not_text"
  | "empty"
  | "empty_command"
  | "empty_task"
  | "commands_off"
  | "no_targets"
  | "unknown_target"
  | "reserved_target"
  | "bad_target_name";

export type ChildPolicyErrorCode = keyof ChildPolicyErrorDetails;

/** A `ChildPolicyError` of any code; comparing `code` narrows `details`. */
export type AnyChildPolicyError = {
  [Code in ChildPolicyErrorCode]: ChildPolicyError<Code>;
}[ChildPolicyErrorCode];

/** The one error of this package: why a delegation does not happen. The message may be shown to the model. */
export class ChildPolicyError<Code extends ChildPolicyErrorCode = ChildPolicyErrorCode> extends BasisError<
  Code,
  ChildPolicyErrorDetails[Code]
> {
  override readonly name: string = "ChildPolicyError";

  /** True for an error of this class or of `SpawnInputError`, whichever copy of this package made it; lets `code` narrow `details`. */
  static is(value: unknown): value is AnyChildPolicyError {
    return isBasisError(value, "ChildPolicyError") || isBasisError(value, "SpawnInputError");
  }
}

/** A spawn input that cannot be read; its message teaches the model the form that works. */
export class SpawnInputError extends ChildPolicyError<"spawn_input"> {
  override readonly name: string = "SpawnInputError";

  constructor(problem: SpawnProblem, lesson: string) {
    super("spawn_input", lesson, { details: { problem } });
  }
}
