import type { OutputOptions } from "./output-options.ts";
import type { OutputAttempt } from "./output-result.ts";
import type { OutputSpec } from "./output-spec.ts";
import { assertSpec, type OutputReservation } from "./reserve-output.ts";
import type { TurnRunner } from "./turn-runner.ts";
import type * as TypedRun from "./typed-run.ts";

/** What an output can be asked for by. */
export type OutputSubject<T> = OutputSpec<T> | OutputReservation<T>;

/** The arguments of a typed run after its runner: what for, the task, and how. */
export type OutputArguments<T> = readonly [
  subject: OutputSubject<T>,
  prompt: string,
  options?: OutputOptions,
];

/** @throws TypeError for what is no runner, or no spec or reservation. */
export function assertAsked(runner: TurnRunner, subject: unknown): void {
  if (typeof runner?.run !== "function") throw new TypeError("the runner is no TurnRunner");
  assertSpec(subject);
}

/** What carries out a run is loaded with the first one, so that the entry stays light. */
let loaded: typeof TypedRun | undefined;

/**
 * Runs one typed turn and answers how it ended; switch on `status`. Never rejects for anything that
 * happens in the run, the host's own failures included.
 *
 * @throws TypeError when `runner` is no `TurnRunner` or the subject no spec or reservation.
 */
export async function runOutput<T>(
  runner: TurnRunner,
  ...[subject, prompt, options = {}]: OutputArguments<T>
): Promise<OutputAttempt<T>> {
  assertAsked(runner, subject);
  loaded ??= await import("./typed-run.ts");
  return loaded.runTyped(runner, subject, { prompt, options });
}

/**
 * The simple form: the value and the report.
 *
 * @throws OutputError with the whole `attempt`; of a run that failed, message and code are the inner
 *   error's own and that error is the `cause`.
 */
export async function output<T>(
  runner: TurnRunner,
  ...args: OutputArguments<T>
): Promise<{ readonly value: T; readonly report: Reported<T> }> {
  const attempt = await runOutput(runner, ...args);
  if (attempt.status === "accepted") return { value: attempt.value, report: attempt.report };
  loaded ??= await import("./typed-run.ts");
  throw loaded.toOutputError(attempt);
}

type Reported<T> = Extract<OutputAttempt<T>, { readonly status: "accepted" }>["report"];
