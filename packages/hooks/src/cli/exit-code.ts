/** What the process's exit code says; the table stands in the help and in COMMANDS.md. */
export const exitCode = {
  /** Done, and nothing is wrong. */
  ok: 0,
  /** What was looked at is wrong: a lint error, a failed case, a hook that cannot answer, a workspace not trusted. */
  found: 1,
  /** The arguments make no sense. */
  usage: 2,
  /** Nothing ran and nothing was granted: a file is wrong, hooks are not trusted, nobody there to say yes. */
  refused: 5,
  interrupted: 130,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Each code in words, for the help. */
export const EXIT_CODES: readonly (readonly [ExitCode, string])[] = [
  [exitCode.ok, "done"],
  [exitCode.found, "what was looked at is wrong"],
  [exitCode.usage, "the arguments make no sense"],
  [exitCode.refused, "refused: a file is wrong, or something is not trusted"],
  [exitCode.interrupted, "interrupted"],
];

/** Arguments that make no sense; every problem says what would. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** Why a command would not go on, for what no file and no hook is to blame. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
