import {
  childPointer,
  parseStrict,
  untilAborted,
  type JsonValue,
  type StandardIssue,
  type StandardResult,
  type StrictParse,
  type TokenUsage,
} from "@basis/core";
import { contentText } from "./content-text.ts";
import { describeIssue } from "./feedback.ts";
import { holdsPrototypeKey, isJsonValue } from "./json-value.ts";
import { readCandidate, type CandidateReading, type ReadingContext } from "./normalise-candidate.ts";
import { digitIssues } from "./digit-issues.ts";
import { outputError } from "./output-error.ts";
import type { Normalisation, OutputIssue } from "./output-result.ts";
import type { OutputSpec } from "./output-spec.ts";

/** What the host's validator is told beside the value. */
export interface ValidateContext {
  readonly signal: AbortSignal;
  /** 1 for the first candidate. */
  readonly attempt: number;
  /** Candidates left after this one. */
  readonly remaining: number;
  /** Of the run so far. */
  readonly usage: TokenUsage;
}

/** What the host's validator answers; an accepted `value` is what is decoded and kept. */
export type ValidateDecision =
  | { readonly decision: "accept"; readonly value: JsonValue }
  | { readonly decision: "reject"; readonly message: string };

/** The host's own check of an answer that fits its schema. A throw, or any other answer, fails the run. */
export type Validate = (
  value: JsonValue,
  context: ValidateContext,
) => ValidateDecision | Promise<ValidateDecision>;

/** A candidate as the model, or the last hook, left it. */
export interface CandidateText {
  readonly text: string;
  /** True for an answer given as text, around which one code fence is forgiven. */
  readonly fenced: boolean;
}

/** What checking needs. */
export interface CheckContext<T> extends Omit<ReadingContext, "spec"> {
  readonly spec: OutputSpec<T>;
  readonly validate?: Validate | undefined;
  readonly validateContext: ValidateContext;
  readonly redact: boolean;
}

/** How a candidate fared; the first stage that refuses it names the verdict. */
export type CandidateCheck<T> = { readonly notes: readonly Normalisation[] } & (
  | { readonly verdict: "accepted"; readonly value: T; readonly candidate: JsonValue }
  | { readonly verdict: "malformed"; readonly issues: readonly OutputIssue[]; readonly candidate: JsonValue }
  | {
      readonly verdict: "mismatch";
      readonly issues: readonly OutputIssue[];
      readonly candidate: JsonValue;
      /** Where a place of the candidate stands in what the model wrote; absent when it is the same. */
      readonly locate?: (pointer: string) => string;
    }
  | { readonly verdict: "rejected"; readonly message: string; readonly candidate: JsonValue }
  | {
      readonly verdict: "undecodable";
      readonly issues: readonly OutputIssue[];
      readonly candidate: JsonValue;
    }
  | { readonly verdict: "truncated"; readonly limit: "output_tokens" | "unknown" }
  | { readonly verdict: "aborted" }
  | { readonly verdict: "failed"; readonly error: unknown }
);

const FENCE = /^\s*```[A-Za-z]*[ \t]*\r?\n([^]*?)\r?\n?```\s*$/;

/** 1e400 is written as a number and read as none. */
const infinite = { ok: false, problem: "not_json", offset: 0, message: "a number is too large" } as const;

const prototypeKey = {
  ok: false,
  problem: "prototype_key",
  offset: 0,
  message: "the keys __proto__ and constructor.prototype are not accepted",
} as const;

/** What the text did not hold as a key, lifting and undoing slips can make one of. */
function madePrototypeKey(
  { value, notes }: CandidateReading,
  { lowering }: Pick<ReadingContext, "lowering">,
): boolean {
  return (notes.length > 0 || lowering?.plain === false) && holdsPrototypeKey(value);
}

/** Checks one candidate: parse, wrapper, schema, the host's validator, decoder. It never repairs a cut answer. */
export async function checkCandidate<T>(
  candidate: CandidateText,
  context: CheckContext<T>,
): Promise<CandidateCheck<T>> {
  const fence = candidate.fenced ? FENCE.exec(candidate.text)?.[1] : undefined;
  const fenceNotes: Normalisation[] = fence === undefined ? [] : [{ kind: "code_fence", pointer: "" }];
  const text = fence ?? candidate.text;
  const parsed = parseStrict(text);
  if (!parsed.ok) {
    const message = context.redact ? "the text is not one acceptable JSON document" : parsed.message;
    return malformed({ ...parsed, message }, { text: candidate.text, notes: fenceNotes });
  }
  if (!isJsonValue(parsed.value)) return malformed(infinite, { text: candidate.text, notes: fenceNotes });
  const reading = readCandidate(parsed.value, context);
  if (madePrototypeKey(reading, context))
    return malformed(prototypeKey, { text: candidate.text, notes: fenceNotes });
  const notes = [...fenceNotes, ...reading.notes];
  const issues = [
    ...reading.issues.map((issue) => describeIssue(issue, reading.value, context.redact)),
    ...(reading.issues.length === 0
      ? await digitIssues(parsed, { text, value: reading.value }, context)
      : []),
  ];
  if (issues.length > 0) {
    const { lowering } = context;
    const locate = lowering && { locate: (pointer: string) => lowering.locate(pointer, parsed.value) };
    return { verdict: "mismatch", issues, candidate: reading.value, notes, ...locate };
  }
  return judge(reading.value, notes, context);
}

function malformed(
  parsed: StrictParse & { ok: false },
  { text, notes }: { text: string; notes: readonly Normalisation[] },
): CandidateCheck<never> {
  const { problem: keyword, message } = parsed;
  if (keyword === "unterminated") return { verdict: "truncated", limit: "unknown", notes };
  return {
    verdict: "malformed",
    issues: [{ stage: "parse", pointer: "", keyword, message }],
    candidate: text,
    notes,
  };
}

async function judge<T>(
  read: JsonValue,
  notes: readonly Normalisation[],
  context: CheckContext<T>,
): Promise<CandidateCheck<T>> {
  const { validate, validateContext } = context;
  const { signal } = validateContext;
  try {
    if (signal.aborted) return { verdict: "aborted", notes };
    if (!validate) return await decode(read, notes, context);
    const written = JSON.stringify(read);
    const decision = await untilAborted(signal, () => validate(read, validateContext));
    if (signal.aborted) return { verdict: "aborted", notes };
    return await decide(written, { decision, read, notes }, context);
  } catch (cause) {
    if (signal.aborted) return { verdict: "aborted", notes };
    const message = cause instanceof Error ? cause.message : "the validator threw";
    const error = outputError("validator_failed", message, { details: {}, cause });
    return { verdict: "failed", error, notes };
  }
}

interface Judgement {
  readonly decision: ValidateDecision | undefined;
  /** What the validator was given, and may have changed. */
  readonly read: JsonValue;
  readonly notes: readonly Normalisation[];
}

async function decide<T>(
  written: string,
  { decision, read, notes }: Judgement,
  context: CheckContext<T>,
): Promise<CandidateCheck<T>> {
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

async function decode<T>(
  candidate: JsonValue,
  notes: readonly Normalisation[],
  { spec, validateContext: { signal } }: CheckContext<T>,
): Promise<CandidateCheck<T>> {
  let result: StandardResult<T>;
  try {
    result = await untilAborted(signal, () => spec.decode(candidate));
  } catch (cause) {
    if (signal.aborted) return { verdict: "aborted", notes };
    const message = cause instanceof Error ? cause.message : "the decoder threw";
    return {
      verdict: "failed",
      error: outputError("decoder_failed", message, { details: {}, cause }),
      notes,
    };
  }
  if (result.issues === undefined) return { verdict: "accepted", value: result.value, candidate, notes };
  return { verdict: "undecodable", issues: result.issues.map(decodeIssue), candidate, notes };
}

function decodeIssue({ message, path }: StandardIssue): OutputIssue {
  const tokens = (path ?? []).map((part) => String(typeof part === "object" ? part.key : part));
  return { stage: "decode", pointer: tokens.reduce<string>(childPointer, ""), message };
}
