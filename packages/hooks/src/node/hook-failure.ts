import { HookError, type FailureCode } from "../hook-error.ts";
import { MAX_ANSWER_BYTES } from "../wire.ts";
import { quoteStart } from "../process/command-output.ts";

const QUOTED_STDOUT_BYTES = 512;

/** Why a program could not answer, in the same words for every mode; `said` is what a model must not read. */
export function failure(code: FailureCode, message: string, said: string = message): HookError<FailureCode> {
  return new HookError(code, message, { details: { said } });
}

/** Whatever kept the program from starting. `why` may name files. */
export function notStarted(why: string): HookError<FailureCode> {
  const message = "could not be started";
  return failure("not_started", message, `${message}: ${why}`);
}

/** There is no file of this name that may be executed. */
export function noSuchProgram(name: string): HookError<FailureCode> {
  const message = "could not be started: there is no such program";
  return failure("not_started", message, `${message}: ${name}`);
}

/** Its deadline passed. */
export function timedOut(timeoutMs: number): HookError<FailureCode> {
  return failure("timed_out", `did not answer within ${timeoutMs}ms and was killed`);
}

/** It ended by itself after its deadline, or when that was is not known: the host's thread was held meanwhile. */
export function endedLate(timeoutMs: number, seenMs: number): HookError<FailureCode> {
  const message = `did not answer within ${timeoutMs}ms`;
  const seen = `its end was seen after ${Math.round(seenMs)}ms; something in the host held the thread`;
  return failure("timed_out", message, `${message}: ${seen}`);
}

/** It printed more than an answer may have. */
export function outputTooLarge(): HookError<FailureCode> {
  return failure("output_too_large", `printed more than the ${MAX_ANSWER_BYTES} bytes an answer may have`);
}

/** It ended without an answer: with a code, with a signal (null), or with 0 and nothing said. */
export function endedUnanswered(exitCode: number | null, stderr: string): HookError<FailureCode> {
  const said = stderr === "" ? "" : ` and said: ${stderr}`;
  if (exitCode === 0) {
    const message = "printed nothing; silence is not consent";
    return failure("silent", message, message + said);
  }
  const message = exitCode === null ? "exited with a signal" : `exited with code ${exitCode}`;
  return failure("exited", message, message + said);
}

/** What it printed is no answer. */
export function invalidAnswer(problem: string, printed: string): HookError<FailureCode> {
  const message = `printed something that is not a decision (${problem})`;
  return failure("invalid_answer", message, `${message}: ${quoteStart(printed, QUOTED_STDOUT_BYTES)}`);
}
