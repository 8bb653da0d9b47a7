import type { JsonObject, JsonValue } from "@basis/core";
import type { HookOutcome } from "../hook-decision.ts";
import type { AskedChain } from "./ask-question.ts";
import { questionToWire, type CallQuestion } from "./call-question.ts";
import type { ListedHook } from "./hook-listing.ts";
import { jsonChanges, type JsonChange } from "./json-changes.ts";
import { rounded } from "./layout.ts";
import { seatRecord, type SeatedAnswer, type SeatedRecord } from "./seats.ts";

/** What a chain did about one call, as `explain` shows it. */
export interface Explanation extends SeatedRecord {
  readonly question: CallQuestion;
  readonly outcome: HookOutcome;
  readonly ms: number;
  /** What became of the input, or after the call of the output. */
  readonly changes: readonly JsonChange[];
  readonly modelReads: ModelReads;
}

/** What reaches the model. */
export type ModelReads =
  /** What the tool answers, or has answered. */
  | { readonly kind: "result" }
  | { readonly kind: "error"; readonly text: string }
  | { readonly kind: "replacement"; readonly output: JsonValue; readonly isError: boolean };

/** Brings a question, its answer and the chain's hooks together. */
export function explain(
  question: CallQuestion,
  { outcome, record }: AskedChain,
  hooks: readonly ListedHook[],
): Explanation {
  const { event, call, input } = question;
  const left = outcome.decision === "modify" ? outcome.input : input;
  const seated = seatRecord(record, hooks, {
    event,
    toolName: call.toolName,
    effect: call.effect,
    input: left,
  });
  return {
    ...seated,
    question,
    outcome,
    ms: record.ms,
    changes: changesOf(question, outcome),
    modelReads: modelReads(outcome),
  };
}

function changesOf({ input, result }: CallQuestion, outcome: HookOutcome): readonly JsonChange[] {
  if (outcome.decision === "modify") return jsonChanges(input, outcome.input);
  if (outcome.decision !== "replace" || result === undefined) return [];
  const flag = result.isError === outcome.isError ? [] : jsonChanges(result.isError, outcome.isError);
  return [
    ...jsonChanges(result.output, outcome.output, "/output"),
    ...flag.map((change) => ({ ...change, pointer: "/is_error" })),
  ];
}

function modelReads(outcome: HookOutcome): ModelReads {
  switch (outcome.decision) {
    case "deny":
      return { kind: "error", text: outcome.reason };
    case "replace":
      return { kind: "replacement", output: outcome.output, isError: outcome.isError };
    default:
      return { kind: "result" };
  }
}

/** The explanation as a document. */
export function explanationToWire(explanation: Explanation): JsonObject {
  const { question, outcome, ms, asked, notAsked, changes } = explanation;
  return {
    call: questionToWire(question),
    outcome: outcomeToWire(outcome),
    ms: rounded(ms),
    asked: asked.map(answerToWire),
    not_asked: notAsked.map(({ position, hook, why, because }) => ({
      ...hookToWire(position, hook),
      why,
      because,
    })),
    changes: changes as readonly (JsonChange & JsonObject)[],
    model_reads: modelReadsToWire(explanation.modelReads),
  };
}

/** An outcome as hooks spell it. */
export function outcomeToWire(outcome: HookOutcome): JsonObject {
  const reason =
    outcome.decision === "allow" || outcome.reason === undefined ? {} : { reason: outcome.reason };
  switch (outcome.decision) {
    case "modify":
      return { decision: "modify", input: outcome.input, ...reason };
    case "replace":
      return { decision: "replace", output: outcome.output, is_error: outcome.isError, ...reason };
    default:
      return { decision: outcome.decision, ...reason };
  }
}

/** A hook's place in the chain. */
export function hookToWire(position: number, { rank, settings, path, line }: ListedHook): JsonObject {
  return { position, name: settings.name, rank, file: path, line };
}

function answerToWire({ position, hook, entry }: SeatedAnswer): JsonObject {
  const { mode, shadow, decision, reason, ms, failure, digestBefore, digestAfter } = entry;
  return {
    ...hookToWire(position, hook),
    mode,
    shadow,
    decision,
    ms: rounded(ms),
    ...(reason !== undefined && { reason }),
    ...(failure !== undefined && { failure: { code: failure.code, detail: failure.detail } }),
    ...(digestBefore !== undefined && { digest_before: digestBefore }),
    ...(digestAfter !== undefined && { digest_after: digestAfter }),
  };
}

function modelReadsToWire(reads: ModelReads): JsonObject {
  if (reads.kind === "error") return { kind: "error", text: reads.text };
  if (reads.kind === "result") return { kind: "result" };
  return { kind: "replacement", output: reads.output, is_error: reads.isError };
}
