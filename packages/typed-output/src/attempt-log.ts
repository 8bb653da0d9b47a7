import type { Clock, JsonValue } from "@basis/core";
import type { CandidateCheck } from "./check-candidate.ts";
import { contentText } from "./content-text.ts";
import { writeFeedback, writeRejection, type FeedbackContext } from "./feedback.ts";
import type { AttemptRecord, AttemptVerdict, Normalisation, OutputIssue } from "./output-result.ts";
import type { TurnEnding } from "./output-turn.ts";
import { words } from "./terminal-tool.ts";
import type { TurnBudget } from "./turn-budget.ts";

/** A candidate that got its verdict, as a record and for the turn. */
export interface LoggedAttempt {
  readonly record: AttemptRecord;
  /** What the model is told. */
  readonly text: string;
  /** How the turn ends if this was the last candidate, or at once when `final`. */
  readonly ending: TurnEnding;
  readonly final: boolean;
}

/** Where a candidate came from. */
export interface CandidateOrigin {
  readonly toolCallId?: string;
  readonly by?: string;
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

/** What a log needs. */
export interface AttemptLogOptions {
  readonly attempts: number;
  readonly used: number;
  readonly prefix: string;
  readonly redact: boolean;
  readonly clock: Clock;
  readonly budget: TurnBudget;
  readonly onAttempt?: ((record: AttemptRecord) => void) | undefined;
}

/** The account of a run's candidates, which also words what each of them is answered. */
export class AttemptLog {
  readonly records: AttemptRecord[] = [];
  readonly #reasons: string[] = [];
  readonly #options: AttemptLogOptions;
  #lastCandidate: JsonValue | undefined;

  constructor(options: AttemptLogOptions) {
    this.#options = options;
  }

  /** The number of the next candidate. */
  get next(): number {
    return this.#options.used + this.records.length + 1;
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
    const { clock, budget, onAttempt } = this.#options;
    const repeated = this.#isRepeated(check);
    const told = this.#tell(check, {
      remaining: this.remaining,
      repeated,
      prefix: this.#options.prefix,
      locate: "locate" in check ? check.locate : undefined,
    });
    const mayGoOn = !told.final && this.remaining > 0;
    const { toolCallId, by } = origin;
    const record: AttemptRecord = Object.freeze({
      number: this.next,
      ...(toolCallId !== undefined && { toolCallId }),
      usage: budget.takeRecent(),
      verdict: verdictOf(check),
      issues: "issues" in check ? check.issues : this.#hostIssue(check),
      ...(mayGoOn && { feedback: told.text }),
      notes: [...origin.notes, ...("notes" in check ? check.notes : [])],
      ...(by !== undefined && { by }),
      repeated,
      ms: clock.monotonicMs() - origin.startedMs,
    });
    this.records.push(record);
    notify(onAttempt, record);
    return { record, ...told };
  }

  #isRepeated(check: CandidateCheck<unknown> | SetAside): boolean {
    if (!("candidate" in check)) return false;
    const before = this.#lastCandidate;
    this.#lastCandidate = check.candidate;
    return before !== undefined && contentText(before) === contentText(check.candidate);
  }

  #hostIssue(check: CandidateCheck<unknown> | SetAside): readonly OutputIssue[] {
    if (!("message" in check)) return [];
    return [{ stage: "validate", pointer: "", message: check.message }];
  }

  #rejected(candidate: JsonValue): TurnEnding {
    return { status: "rejected", reasons: [...this.#reasons], ...this.#shown(candidate) };
  }

  #shown(candidate: JsonValue): { candidate?: JsonValue } {
    return this.#options.redact ? {} : { candidate };
  }

  #tell(
    check: CandidateCheck<unknown> | SetAside,
    context: FeedbackContext,
  ): { text: string; ending: TurnEnding; final: boolean } {
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
        return { text: writeFeedback(issues, context), ending, final: false };
      }
      case "rejected":
      case "denied":
      case "vetoed": {
        this.#reasons.push(check.message);
        const ending = this.#rejected(check.candidate);
        return { text: writeRejection(check.message, context), ending, final: false };
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

/** An observer cannot change a run: what it throws is dropped. */
function notify(observer: ((record: AttemptRecord) => void) | undefined, record: AttemptRecord): void {
  try {
    observer?.(record);
  } catch {
    return;
  }
}
