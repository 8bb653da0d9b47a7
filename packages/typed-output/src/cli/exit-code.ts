/** What the process's exit code says. */
export const exitCode = {
  /** Every schema can be asked for. */
  ok: 0,
  /** A schema cannot be said in a subset, or is beyond its limits; with `--strict` any loss or warning. */
  found: 1,
  /** The arguments make no sense. */
  usage: 2,
  /** A file cannot be read, or holds no usable schema. */
  refused: 5,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
