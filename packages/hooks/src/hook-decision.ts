import { isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import { frozenCopy, NotJsonError } from "./frozen-json.ts";
import type { FailureCode } from "./hook-error.ts";
import type { HookEvent } from "./hook-request.ts";

/** What the chain answers before a call. */
export type PreOutcome =
  | { readonly decision: "allow" }
  | { readonly decision: "deny"; readonly reason: string }
  | { readonly decision: "modify"; readonly input: JsonObject; readonly reason?: string };

/** What the chain answers after a call; a `deny` shows the model its reason as an error in place of the result. */
export type PostOutcome =
  | { readonly decision: "allow" }
  | { readonly decision: "deny"; readonly reason: string }
  | {
      readonly decision: "replace";
      readonly output: JsonValue;
      readonly isError: boolean;
      readonly reason?: string;
    };

/** What the chain answers. Inputs and outputs in it are frozen. */
export type HookOutcome = PreOutcome | PostOutcome;

/**
 * What one participant answers: an outcome whose reasons may be left out, as may `isError`, which then stays as it is.
 * Further fields are tolerated; a reason that is not a string is ignored.
 */
export type HookAnswer =
  | { readonly decision: "allow"; readonly reason?: string | undefined }
  | { readonly decision: "deny"; readonly reason?: string | undefined }
  | { readonly decision: "modify"; readonly input: JsonObject; readonly reason?: string | undefined }
  | {
      readonly decision: "replace";
      readonly output: JsonValue;
      readonly isError?: boolean | undefined;
      readonly reason?: string | undefined;
    };

/** Why a participant could not answer. Both texts read after its name; `message` never quotes it and may reach a model. */
export interface HookFailure {
  readonly code: FailureCode;
  readonly message: string;
  /** The same with what the program or the error said, for the trail and the reporter. */
  readonly detail: string;
}

/** An answer after it was checked; `broken` stands for every way of not answering. */
export type Verdict = HookAnswer | { readonly decision: "broken"; readonly failure: HookFailure };

/** The answer of a chain in which nobody changed or denied anything. */
export const ALLOW: { readonly decision: "allow" } = Object.freeze({ decision: "allow" });

/** A verdict for a participant that could not answer. `detail` defaults to `message`. */
export function broken(code: FailureCode, message: string, detail: string = message): Verdict {
  return { decision: "broken", failure: Object.freeze({ code, message, detail }) };
}

/** Why a value is no answer, or the answer itself, with its JSON copied and frozen. */
export type AnswerCheck =
  | { readonly ok: true; readonly answer: HookAnswer }
  | { readonly ok: false; readonly problem: string };

/** Checks the shape of an answer, whatever event it is for; the wire spells the flag `is_error`. Never throws. */
export function checkAnswer(value: unknown, flagKey: "isError" | "is_error"): AnswerCheck {
  if (typeof value !== "object" || value === null) return problem("it is not an object");
  try {
    return checkMembers(value as Record<string, unknown>, flagKey);
  } catch (error) {
    return problem(error instanceof NotJsonError ? error.message : "it cannot be read");
  }
}

/** Judges what a participant answered to a request of this event. */
export function judgeAnswer(value: unknown, event: HookEvent): Verdict {
  const checked = checkAnswer(value, "isError");
  if (checked.ok) return judgeEvent(checked.answer, event);
  return broken("invalid_answer", `answered something that is not a decision (${checked.problem})`);
}

/** Refuses an answer that does not exist for the event. */
export function judgeEvent(answer: HookAnswer, event: HookEvent): Verdict {
  const misplaced = event === "pre_tool_use" ? "replace" : "modify";
  if (answer.decision !== misplaced) return answer;
  const instead = event === "pre_tool_use" ? "modify" : "replace";
  return broken(
    "wrong_event",
    `answered ${misplaced} to ${event}, where only allow, deny and ${instead} are answers`,
  );
}

/** Most answers, made once. */
const ALLOWED: AnswerCheck = { ok: true, answer: ALLOW };

function checkMembers(value: Record<string, unknown>, flagKey: string): AnswerCheck {
  const { decision, reason: given } = value;
  const reason = typeof given === "string" ? { reason: given } : undefined;
  switch (decision) {
    case "allow":
      return reason ? { ok: true, answer: { decision, ...reason } } : ALLOWED;
    case "deny":
      return { ok: true, answer: { decision, ...reason } };
    case "modify":
      return checkModify(value["input"], reason);
    case "replace":
      return checkReplace(value, flagKey, reason);
    case undefined:
      return problem("decision is missing");
    default:
      return problem("unknown decision");
  }
}

function checkModify(input: unknown, reason: { readonly reason: string } | undefined): AnswerCheck {
  const copied = isJsonObject(input) ? frozenCopy(input) : undefined;
  if (!isJsonObject(copied)) return problem("modify needs a JSON object as its input");
  return { ok: true, answer: { decision: "modify", input: copied, ...reason } };
}

function checkReplace(
  value: Record<string, unknown>,
  flagKey: string,
  reason: { readonly reason: string } | undefined,
): AnswerCheck {
  const { output, [flagKey]: isError } = value;
  if (output === undefined) return problem("replace needs an output");
  if (isError !== undefined && typeof isError !== "boolean") return problem(`${flagKey} is not a boolean`);
  const flag = isError === undefined ? undefined : { isError };
  return { ok: true, answer: { decision: "replace", output: frozenCopy(output), ...flag, ...reason } };
}

function problem(text: string): AnswerCheck {
  return { ok: false, problem: text };
}
