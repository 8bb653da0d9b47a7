import { newId, type RunReport } from "@basis/core";
import type { Ledger } from "./ledger.ts";
import type { OpenGate } from "./open-gate.ts";
import { outputError } from "./output-error.ts";
import type { AttemptAccount, OutputAttempt, OutputBound } from "./output-result.ts";
import type { OutputSpec } from "./output-spec.ts";
import type { TurnEnding } from "./output-turn.ts";
import type { RunAbort } from "./run-abort.ts";
import { withJson } from "./thrown-attempt.ts";

/** What became of the host's `run`. */
export type RunnerOutcome =
  | { readonly type: "report"; readonly report: RunReport }
  | { readonly type: "threw"; readonly error: unknown }
  | { readonly type: "unresponsive" };

type Bare<T> = Extract<OutputAttempt<T>, { readonly report?: RunReport }>;
type BareEnding =
  | { readonly status: "failed"; readonly error: unknown }
  | Omit<Extract<Bare<unknown>, { readonly status: "unsupported" }>, keyof AttemptAccount | "report">;

/** A result without a turn, and so without a report. */
export function bareAttempt<T>(spec: OutputSpec<T>, ending: BareEnding, toolName = ""): OutputAttempt<T> {
  const turn = spec.keepsTools ? "working" : "shaping";
  const plan = { toolName, turn, skipped: [], degradations: [], closing: 0, ledger: spec.ledger } as const;
  return withJson({ ...ending, attempts: [], plan });
}

/** The result of a run: what the host reports of its turn, and where that stands, how the gate ended it. */
export function conclude<T>(gate: OpenGate<T>, outcome: RunnerOutcome, abort: RunAbort): OutputAttempt<T> {
  const account: AttemptAccount = { attempts: gate.attempts, plan: gate.plan };
  if (outcome.type === "report" && isReport(outcome.report)) {
    return withJson({
      ...account,
      ...fromReport<T>(outcome.report, { ending: gate.ending, account, abort }),
    });
  }
  if (outcome.type === "threw" && abort.aborted) {
    return withJson({
      ...account,
      ...fromReport<T>(soFar(gate, "cancelled"), { ending: undefined, account, abort }),
    });
  }
  const error = outcome.type === "threw" ? outcome.error : brokenContract(outcome.type);
  if (outcome.type === "threw" && !gate.started) return withJson({ ...account, status: "failed", error });
  const report: RunReport = { ...soFar(gate, "failed"), failure: error };
  return withJson({ ...account, status: "failed", error, report });
}

const OUTCOMES: readonly unknown[] = ["completed", "stopped", "failed", "cancelled", "parked"];

function isReport(report: unknown): report is RunReport {
  try {
    const { outcome, usage } = (report ?? {}) as Partial<RunReport>;
    return OUTCOMES.includes(outcome) && typeof usage === "object" && usage !== null;
  } catch {
    return false;
  }
}

function brokenContract(type: "report" | "unresponsive"): Error {
  const reason = type === "report" ? "no_report" : "unresponsive";
  const message =
    type === "report" ? "the host returned no report" : "the host did not return after the run had ended";
  return outputError("host_failed", message, { details: { reason } });
}

/** What is known of a run whose host did not say. */
function soFar(gate: OpenGate<unknown>, outcome: RunReport["outcome"]): RunReport {
  return { runId: newId(), outcome, usage: gate.usage };
}

type WithReport<T> = { readonly report: RunReport } & (
  | Exclude<TurnEnding, { status: "accepted" } | { status: "unsupported" }>
  | { readonly status: "accepted"; readonly value: T; readonly normalized: boolean }
  | { readonly status: "parked"; readonly approvalId: string }
  | { readonly status: "missing"; readonly ended: "prose" | "empty" | "stop"; readonly text: string }
  | (Extract<TurnEnding, { status: "unsupported" }> & { readonly ledger: Ledger })
);

interface Known {
  readonly ending: TurnEnding | undefined;
  readonly account: AttemptAccount;
  readonly abort: RunAbort;
}

/** The host's failure, cancel and parking stand over what the gate knows; a bound stands under an answer. */
function fromReport<T>(report: RunReport, { ending, account, abort }: Known): WithReport<T> {
  switch (report.outcome) {
    case "failed":
      return { status: "failed", error: report.failure, report };
    case "parked":
      return { status: "parked", approvalId: report.approvalId ?? "", report };
    case "cancelled":
      return fromAbort(report, abort);
    case "completed":
    case "stopped":
      if (!ending && abort.aborted) return fromAbort(report, abort);
      return ending ? fromEnding<T>(report, ending, account.plan.ledger) : withoutEnding(report);
    default:
      return report.outcome satisfies never;
  }
}

function fromAbort(report: RunReport, { late }: RunAbort): WithReport<never> {
  return late ? { status: "bounded", by: "deadline", report } : { status: "cancelled", report };
}

/** The report says what the gate knows better than the host: why the run ended. */
function fromEnding<T>(report: RunReport, ending: TurnEnding, ledger: Ledger): WithReport<T> {
  switch (ending.status) {
    case "failed":
      return { ...ending, report: { ...report, outcome: "failed", failure: ending.error } };
    case "cancelled":
      return { ...ending, report: { ...report, outcome: "cancelled" } };
    case "bounded":
      return { ...ending, report: { ...report, outcome: "stopped", stoppedBy: ending.by } };
    case "unsupported":
      return { ...ending, ledger, report };
    case "accepted":
      return { ...ending, value: ending.value as T, report };
    default:
      return { ...ending, report };
  }
}

function withoutEnding(report: RunReport): WithReport<never> {
  const text = report.text ?? "";
  const { stoppedBy } = report;
  if (stoppedBy === "stop") return { status: "missing", ended: "stop", text, report };
  if (stoppedBy !== undefined && stoppedBy !== "output") {
    return { status: "bounded", by: stoppedBy satisfies OutputBound, report };
  }
  return { status: "missing", ended: text.trim() === "" ? "empty" : "prose", text, report };
}
