import { parseStrict, type JsonValue, type StrictParse, type TokenUsage } from "@basis/core";
import type { Awaitable } from "./awaitable.ts";
import { describeIssue } from "./feedback.ts";
import { holdsPrototypeKey, isJsonValue } from "./json-value.ts";
import { readCandidate, type CandidateReading, type ReadingContext } from "./normalise-candidate.ts";
import { judgeValue, type ReadText } from "./judge-value.ts";
import { digitIssues } from "./digit-issues.ts";
import type { Normalisation, OutputIssue } from "./output-result.ts";
import type { OutputSpec } from "./output-spec.ts";
import type { AbortState } from "./run-abort.ts";

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
  /** Made for a validator, and only for one. */
  readonly validateContext: () => ValidateContext;
  readonly abort: AbortState;
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

const nothing: readonly never[] = Object.freeze([]);

/**
 * Checks one candidate: parse, wrapper, schema, the host's validator, decoder. It never repairs a cut answer.
 * The verdict is there at once, unless a validator, a decoder or the question of lost digits has to be waited for.
 */
export function checkCandidate<T>(
  candidate: CandidateText,
  context: CheckContext<T>,
): Awaitable<CandidateCheck<T>> {
  const { text, notes: opened } = candidate.fenced ? openFence(candidate.text) : unopened(candidate.text);
  const refuse = (problem: StrictParse & { ok: false }): CandidateCheck<never> =>
    malformed(problem, { text: candidate.text, notes: opened });
  const parsed = parseStrict(text);
  if (!parsed.ok) {
    const message = context.redact ? "the text is not one acceptable JSON document" : parsed.message;
    return refuse({ ...parsed, message });
  }
  if (parsed.longNumbers && !isJsonValue(parsed.value)) return refuse(infinite);
  const reading = readCandidate(parsed.value, context);
  if (madePrototypeKey(reading, context)) return refuse(prototypeKey);
  const notes = opened.length === 0 ? reading.notes : [...opened, ...reading.notes];
  const read: ReadText = { text, value: reading.value, notes };
  if (reading.issues.length > 0) {
    const issues = reading.issues.map((issue) => describeIssue(issue, reading.value, context.redact));
    return mismatch(issues, { parsed, read }, context);
  }
  if (!parsed.longNumbers && parsed.unsafeIntegers.length === 0) return judgeValue(read, context);
  return digitIssues(parsed, read, context).then((issues) =>
    issues.length > 0 ? mismatch(issues, { parsed, read }, context) : judgeValue(read, context),
  );
}

interface OpenedText {
  readonly text: string;
  readonly notes: readonly Normalisation[];
}

function unopened(text: string): OpenedText {
  return { text, notes: nothing };
}

function openFence(text: string): OpenedText {
  const inner = FENCE.exec(text)?.[1];
  return inner === undefined ? unopened(text) : { text: inner, notes: [{ kind: "code_fence", pointer: "" }] };
}

function mismatch(
  issues: readonly OutputIssue[],
  { parsed, read }: { parsed: StrictParse & { ok: true }; read: ReadText },
  { lowering }: Pick<ReadingContext, "lowering">,
): CandidateCheck<never> {
  const { value: candidate, notes } = read;
  const locate = lowering && { locate: (pointer: string) => lowering.locate(pointer, parsed.value) };
  return { verdict: "mismatch", issues, candidate, notes, ...locate };
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
