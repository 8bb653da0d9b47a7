import {
  childPointer,
  untilAborted,
  type JsonValue,
  type StandardIssue,
  type StandardResult,
} from "@basis/core";
import { isPending, type Awaitable } from "./awaitable.ts";
import type { CandidateCheck, CheckContext, ValidateDecision } from "./check-candidate.ts";
import { contentText } from "./content-text.ts";
import { isJsonValue } from "./json-value.ts";
import { outputError } from "./output-error.ts";
import type { Normalisation, OutputIssue } from "./output-result.ts";
import type { AbortState } from "./run-abort.ts";

/** A text that was read, and what the schema accepts of it. */
export interface ReadText {
  readonly text: string;
  readonly value: JsonValue;
  readonly notes: readonly Normalisation[];
}

/** Judges a value that fits its schema: the host's validator, then the spec's decoder. */
export function judgeValue<T>(
  { value: read, notes }: ReadText,
  context: CheckContext<T>,
): Awaitable<CandidateCheck<T>> {
  const { validate, validateContext, abort } = context;
  if (abort.aborted) return { verdict: "aborted", notes };
  if (!validate) return decode(read, notes, context);
  const written = JSON.stringify(read);
  return askHost<ValidateDecision, T>(abort, {
    notes,
    ask: () => validate(read, validateContext()),
    answered: (decision) => decide(written, { decision, read, notes }, context),
    failed: (cause) => {
      const message = cause instanceof Error ? cause.message : "the validator threw";
      return outputError("validator_failed", message, { details: {}, cause });
    },
  });
}

interface HostQuestion<Answer, T> {
  readonly notes: readonly Normalisation[];
  ask(): Awaitable<Answer>;
  answered(answer: Answer): Awaitable<CandidateCheck<T>>;
  failed(cause: unknown): Error;
}

/** Asks code of the host: what it throws fails the run, and nothing is waited for once the run is aborted. */
function askHost<Answer, T>(
  abort: AbortState,
  question: HostQuestion<Answer, T>,
): Awaitable<CandidateCheck<T>> {
  const { notes } = question;
  const goOn = (answer: Answer): Awaitable<CandidateCheck<T>> =>
    abort.aborted ? { verdict: "aborted", notes } : question.answered(answer);
  const fail = (cause: unknown): CandidateCheck<T> =>
    abort.aborted
      ? { verdict: "aborted", notes }
      : { verdict: "failed", error: question.failed(cause), notes };
  try {
    const answer = question.ask();
    if (!isPending(answer)) return goOn(answer);
    return untilAborted(abort.signal, () => answer)
      .then(goOn)
      .catch(fail);
  } catch (cause) {
    return fail(cause);
  }
}

interface Judgement {
  readonly decision: ValidateDecision | undefined;
  /** What the validator was given, and may have changed. */
  readonly read: JsonValue;
  readonly notes: readonly Normalisation[];
}

function decide<T>(
  written: string,
  { decision, read, notes }: Judgement,
  context: CheckContext<T>,
): Awaitable<CandidateCheck<T>> {
  const untouched = JSON.stringify(read) === written;
  const candidate = untouched ? read : (JSON.parse(written) as JsonValue);
  if (decision?.decision === "reject" && typeof decision.message === "string") {
    return { verdict: "rejected", message: decision.message, candidate, notes };
  }
  if (decision?.decision !== "accept") return unusable("answered neither accept nor reject", notes);
  const { value } = decision;
  if (value === read && untouched) return decode(value, notes, context);
  if (!isJsonValue(value)) return unusable("accepted a value that is not JSON", notes);
  const changed = contentText(value) !== contentText(candidate);
  return decode(value, changed ? [...notes, { kind: "validator", pointer: "" }] : notes, context);
}

function unusable(what: string, notes: readonly Normalisation[]): CandidateCheck<never> {
  const error = outputError("validator_failed", `the validator ${what}`, { details: {} });
  return { verdict: "failed", error, notes };
}

function decode<T>(
  candidate: JsonValue,
  notes: readonly Normalisation[],
  { spec, abort }: CheckContext<T>,
): Awaitable<CandidateCheck<T>> {
  return askHost<StandardResult<T>, T>(abort, {
    notes,
    ask: () => spec.decode(candidate),
    answered: (result) =>
      result.issues === undefined
        ? { verdict: "accepted", value: result.value, candidate, notes }
        : { verdict: "undecodable", issues: result.issues.map(decodeIssue), candidate, notes },
    failed: (cause) => {
      const message = cause instanceof Error ? cause.message : "the decoder threw";
      return outputError("decoder_failed", message, { details: {}, cause });
    },
  });
}

function decodeIssue({ message, path }: StandardIssue): OutputIssue {
  const tokens = (path ?? []).map((part) => String(typeof part === "object" ? part.key : part));
  return { stage: "decode", pointer: tokens.reduce<string>(childPointer, ""), message };
}
