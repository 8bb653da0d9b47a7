import type { MessageFacts, TranscriptShape } from "@mobkit/session";
import { ForkError } from "./fork-error.ts";

/**
 * The child's first message in the store's own format. A text that is no message of it becomes
 * `{role: "user", content: text}`.
 *
 * @throws ForkError `invalid_request` for what the shape refuses, and for a message that opens or closes a call.
 */
export function readInitialMessage<M>(shape: TranscriptShape<M>, given: unknown): M | undefined {
  if (given === undefined) return undefined;
  const candidates = [given, ...(typeof given === "string" ? [{ role: "user", content: given }] : [])];
  let problem = "";
  for (const candidate of candidates) {
    const facts = shape.inspect(candidate as M);
    if (!("problem" in facts)) return requireSettled(facts, candidate as M);
    problem = facts.problem;
  }
  throw refusal(problem);
}

function requireSettled<M>(facts: MessageFacts, message: M): M {
  if (facts.opens.length + facts.closes.length > 0) throw refusal("it opens or closes a call");
  return message;
}

function refusal(problem: string): ForkError<"invalid_request"> {
  return new ForkError("invalid_request", `spec.initialMessage is no first message: ${problem}`, {
    details: { reason: "wrong_type", field: "spec.initialMessage" },
  });
}
