import type { CommandPattern } from "./command-pattern.ts";
import type { RuleSubject } from "./opened-call.ts";

/** A program that a command may start. */
export interface CommandStart {
  /** By its `programKey`. */
  readonly program: string;
  /** What may follow it, each by its `wordKey`; null where a word is not known. */
  readonly words: readonly (string | null)[];
}

/** A command as command rules look at it. */
export interface CommandView {
  /** Why the command cannot be read wholly; then nothing allows it and every command denial applies. */
  readonly problem?: string | undefined;
  /**
   * For each part of the command the first pattern that names it, by position, ascending;
   * undefined when a part is named by none.
   */
  coveredBy(patterns: readonly CommandPattern[]): readonly number[] | undefined;
  /**
   * Everything that the command may start: a pattern for another program, or with a second word that no such start has,
   * concerns it in no way. Undefined when that cannot be told.
   */
  starts?(): readonly CommandStart[] | undefined;
  /** True when some part may be what the pattern names. */
  mayMatch(pattern: CommandPattern): boolean;
}

/** Reads the command of a call, once a call. The port behind which the shell parser of `@basis/approval/commands` stands. */
export interface CommandJudge {
  view(call: RuleSubject): CommandView;
}
