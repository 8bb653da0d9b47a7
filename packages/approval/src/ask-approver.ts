import {
  DeadlineError,
  isJsonObject,
  joinSignals,
  underDeadline,
  untilAborted,
  type Abortable,
  type Clock,
  type DeadlineContext,
} from "@basis/core";
import type { ApprovalSubject } from "./approval-request.ts";
import type { Approver, ApproverAnswer } from "./approver.ts";
import { denyFailed, type DenyOutcome } from "./authorize-outcome.ts";
import { frozenJson } from "./frozen-json.ts";
import { caught, whenThere, type MaybePromise } from "./store-patience.ts";

/** Who is asked, and how long they may take. */
export interface AskOptions {
  readonly approver: Approver;
  /** Infinity waits for ever. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: Abortable | undefined;
}

/** An approver's answer, or the denial that stands for it. */
export type Asked =
  | { readonly answered: true; readonly answer: ApproverAnswer }
  | { readonly answered: false; readonly denial: DenyOutcome };

/** How denials and reports call an approver. */
export function approverName(approver: Approver): string {
  return approver.name === undefined ? "the approver" : `approver '${approver.name}'`;
}

/**
 * Asks an approver. Whatever is no valid answer in time becomes a denial that names the approver and what went wrong.
 * Rejects only with the signal's reason.
 */
export function askApprover(subject: ApprovalSubject, options: AskOptions): MaybePromise<Asked> {
  const { approver, timeoutMs, clock, signal } = options;
  const who = approverName(approver);
  const ask = (inner: DeadlineContext): MaybePromise<ApproverAnswer> => approver.approve(subject, inner);
  const answerOf = (): MaybePromise<ApproverAnswer> =>
    Number.isFinite(timeoutMs) ? underDeadline({ timeoutMs, signal, clock }, ask) : askForEver(ask, signal);
  return caught<Asked>(
    () => whenThere(answerOf(), (answer) => asAsked(who, answer)),
    (cause) => {
      signal?.throwIfAborted();
      const late = cause instanceof DeadlineError;
      const what = late ? `it took longer than ${timeoutMs}ms` : "it failed";
      return { answered: false, denial: denyFailed(who, what, cause) };
    },
  );
}

function askForEver(
  ask: (context: DeadlineContext) => MaybePromise<ApproverAnswer>,
  signal: Abortable | undefined,
): Promise<ApproverAnswer> {
  const own = joinSignals(signal);
  return untilAborted(own.signal, (ended) => ask({ signal: ended })).finally(own.release);
}

function asAsked(who: string, answer: unknown): Asked {
  const read = readAnswer(answer);
  if (typeof read === "string") return { answered: false, denial: denyFailed(who, read, answer) };
  return { answered: true, answer: read };
}

const DECISIONS: readonly string[] = ["allow", "allow_for_session", "deny", "deny_for_session", "park"];

/** A copy of a valid answer, made in one look; or what is wrong with it. */
function readAnswer(answer: unknown): ApproverAnswer | string {
  try {
    if (!isJsonObject(answer)) return "its answer is not an object";
    const { decision, reason, input } = answer as Readonly<Record<string, unknown>>;
    if (typeof decision !== "string" || !DECISIONS.includes(decision))
      return "its answer names no known decision";
    if (reason !== undefined && typeof reason !== "string") return "its reason is not a text";
    if (input === undefined) return { decision, reason } as ApproverAnswer;
    if (!decision.startsWith("allow")) return `its answer changes the input of a call it does not allow`;
    const copied = copyOf(input);
    return copied ? ({ decision, reason, input: copied.input } as ApproverAnswer) : NO_JSON;
  } catch {
    return "its answer cannot be read";
  }
}

const NO_JSON = "the input it put in place has no JSON form";

function copyOf(input: unknown): { readonly input: unknown } | undefined {
  try {
    return { input: frozenJson(input) };
  } catch {
    return undefined;
  }
}
