import type { CommandPattern } from "./command-pattern.ts";
import type { RuleSubject } from "./opened-call.ts";

/** A command as command rules look at it. */
export interface CommandView {
  /** Why the command cannot be read wholly; then nothing allows it and every command denial applies. */
  readonly problem?: string | undefined;
  /**
   * The patterns that name some part of the command, by position, ascending, when they together name all of it;
   * undefined when a part is named by none.
   */
  coveredBy(patterns: readonly CommandPattern[]): readonly number[] | undefined;
  /**
   * The `programKey` of everything that may be a program of the command: a pattern for any other concerns it in no way.
   * Undefined when that cannot be told.
   */
  programs?(): ReadonlySet<string> | undefined;
  /** True when some part may be what the pattern names. */
  mayMatch(pattern: CommandPattern): boolean;
}

/** Reads the command of a call, once a call. The port behind which the shell parser of `@basis/approval/commands` stands. */
export interface CommandJudge {
  view(call: RuleSubject): CommandView;
}
