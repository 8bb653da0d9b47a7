import type { JsonValue } from "@basis/core";
import { isPending } from "./awaitable.ts";
import type { CandidateCheck } from "./check-candidate.ts";
import { writeFeedback, writeRejection, type FeedbackContext } from "./feedback.ts";
import type { GateOptions } from "./gate-options.ts";
import { equalJson } from "./interpreter/json-equality.ts";
import type { AttemptRecord, AttemptVerdict, Normalisation, OutputIssue } from "./output-result.ts";
import type { TurnEnding } from "./output-turn.ts";
import { words } from "./terminal-tool.ts";
import type { TurnBudget } from "./turn-budget.ts";

/** A candidate that got its verdict, as a record and for the turn. */
export interface LoggedAttempt {
  /** What the model is told. */
  readonly text: string;
  /** How the turn ends if this was the last candidate, or at once when `final`. */
  readonly ending: TurnEnding;
  readonly final: boolean;
}

/** Where a candidate came from. */
export interface CandidateOrigin {
  readonly toolCallId?: string | undefined;
  readonly by?: string | undefined;
  /** The monotonic time at which its check began. */
  readonly startedMs: number;
  readonly notes: readonly Normalisation[];
}

/** A candidate that something else than its content decided: a hook's denial, a failed sibling's veto. */
export interface SetAside {
  readonly verdict: "denied" | "vetoed";
  readonly message: string;
  readonly candidate: JsonValue;
}

/** What a log needs to know of its run. */
export type AttemptLogOptions = Pick<
  GateOptions<unknown>,
  "attempts" | "attemptsUsed" | "spec" | "redact" | "clock" | "onAttempt"
>;

type Draft<T> = { -readonly [Name in keyof T]: T[Name] };

/** The account of a run's candidates, which also words what each of them is answered. */
export class AttemptLog {
  readonly records: AttemptRecord[] = [];
  readonly #reasons: string[] = [];
  readonly #options: AttemptLogOptions;
  readonly #budget: TurnBudget;
  #lastCandidate: JsonValue | undefined;

  constructor(options: AttemptLogOptions, budget: TurnBudget) {
    this.#options = options;
    this.#budget = budget;
  }

  /** The number of the next candidate. */
  get next(): number {
    return this.#options.attemptsUsed + this.records.length + 1;
  }

  /** The calls of the candidates so far. */
  get calls(): readonly string[] {
    return this.records.flatMap(({ toolCallId }) => (toolCallId === undefined ? [] : [toolCallId]));
  }

  /** Candidates left after the next one. */
  get remaining(): number {
    return this.#options.attempts - this.next;
  }

  /** Notes a verdict and words its feedback. */
  add(check: CandidateCheck<unknown> | SetAside, origin: CandidateOrigin): LoggedAttempt {
    const { clock, onAttempt } = this.#options;
    const { toolCallId, by, startedMs } = origin;
    const repeated = this.#isRepeated(check);
    const told = this.#tell(check, repeated);
    const record: Draft<AttemptRecord> = {
      number: this.next,
      usage: this.#budget.takeRecent(),
      verdict: verdictOf(check),
      issues: issuesOf(check),
      notes: notesOf(check, origin),
      repeated,
      ms: clock.monotonicMs() - startedMs,
    };
    if (toolCallId !== undefined) record.toolCallId = toolCallId;
    if (by !== undefined) record.by = by;
    if (!told.final && this.remaining > 0) record.feedback = told.text;
    this.records.push(Object.freeze(record));
    if (onAttempt) notify(() => onAttempt(record, check.verdict === "accepted" ? check.value : undefined));
    return told;
  }

  #isRepeated(check: CandidateCheck<unknown> | SetAside): boolean {
    if (!("candidate" in check)) return false;
    const before = this.#lastCandidate;
    this.#lastCandidate = check.candidate;
    return before !== undefined && equalJson(before, check.candidate);
  }

  #rejected(candidate: JsonValue): TurnEnding {
    return { status: "rejected", reasons: [...this.#reasons], ...this.#shown(candidate) };
  }

  #shown(candidate: JsonValue): { candidate?: JsonValue } {
    return this.#options.redact ? {} : { candidate };
  }

  #feedbackContext(check: CandidateCheck<unknown> | SetAside, repeated: boolean): FeedbackContext {
    const prefix = this.#options.spec.wrapped ? "/value" : "";
    const locate = "locate" in check ? check.locate : undefined;
    return { remaining: this.remaining, repeated, prefix, locate };
  }

  #tell(check: CandidateCheck<unknown> | SetAside, repeated: boolean): LoggedAttempt {
    switch (check.verdict) {
      case "accepted": {
        const normalized = check.notes.length > 0;
        const ending: TurnEnding = { status: "accepted", value: check.value, normalized };
        return { text: words.accepted, ending, final: true };
      }
      case "malformed":
      case "mismatch":
      case "undecodable": {
        const { issues } = check;
        const at = ({ malformed: "parse", mismatch: "schema", undecodable: "decode" } as const)[
          check.verdict
        ];
        const ending: TurnEnding = { status: "mismatch", at, issues, ...this.#shown(check.candidate) };
        if (at === "decode") return { text: words.unreadable, ending, final: true };
        return { text: writeFeedback(issues, this.#feedbackContext(check, repeated)), ending, final: false };
      }
      case "rejected":
      case "denied":
      case "vetoed": {
        this.#reasons.push(check.message);
        const ending = this.#rejected(check.candidate);
        const text = writeRejection(check.message, this.#feedbackContext(check, repeated));
        return { text, ending, final: false };
      }
      case "truncated":
        return { text: words.cutOff, ending: { status: "truncated", limit: check.limit }, final: true };
      case "aborted":
        return { text: words.ended, ending: { status: "cancelled" }, final: true };
      case "failed":
        return { text: words.unchecked, ending: { status: "failed", error: check.error }, final: true };
      default:
        return check satisfies never;
    }
  }
}

function verdictOf(check: CandidateCheck<unknown> | SetAside): AttemptVerdict {
  return check.verdict === "aborted" ? "failed" : check.verdict;
}

function issuesOf(check: CandidateCheck<unknown> | SetAside): readonly OutputIssue[] {
  if ("issues" in check) return check.issues;
  return "message" in check ? [{ stage: "validate", pointer: "", message: check.message }] : [];
}

function notesOf(
  check: CandidateCheck<unknown> | SetAside,
  { notes }: CandidateOrigin,
): readonly Normalisation[] {
  const found = "notes" in check ? check.notes : [];
  return notes.length === 0 ? found : [...notes, ...found];
}

/** An observer cannot change a run: what it throws is dropped, at once or later. */
function notify(observe: () => unknown): void {
  try {
    const told = observe();
    if (isPending(told)) told.then(undefined, () => undefined);
  } catch {
    return;
  }
}
