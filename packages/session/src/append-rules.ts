import { SessionError } from "./session-error.ts";
import type { MessageFacts } from "./transcript-shape.ts";

/** The end of a transcript as far as the next message depends on it. */
export interface TranscriptEnd {
  readonly len: number;
  readonly settledLen: number;
  /** Keys that are open, in the order they were opened. */
  readonly openCalls: readonly string[];
}

/** What is open where nothing is. */
export const noCalls: readonly string[] = Object.freeze([]);

/**
 * The transcript's end after one more message. `index` is the message's place in its append, for the refusal.
 *
 * While anything is open only a message that closes some of it may follow; it may open something itself only once all
 * of that is closed, or if it works for all that is left (`within`). So a group of parallel calls is never interrupted.
 *
 * @throws SessionError `duplicate_call`, `unmatched_result` (nothing open has that key: never asked, or answered
 * already), `open_calls`.
 */
export function endAfter(end: TranscriptEnd, facts: MessageFacts, index: number): TranscriptEnd {
  if (facts.opens.length === 0 && facts.closes.length === 0 && end.openCalls.length === 0) {
    return { len: end.len + 1, openCalls: end.openCalls, settledLen: end.len + 1 };
  }
  refuseDuplicates(facts, index);
  for (const call of facts.closes) {
    if (!end.openCalls.includes(call)) {
      throw new SessionError("unmatched_result", `message ${index} answers ${call}, which is not open`, {
        details: { index, call },
      });
    }
  }
  const left = end.openCalls.filter((call) => !facts.closes.includes(call));
  if (left.length > 0 && !mayFollow(facts, left)) throw openCalls(index, left);
  const again = facts.opens.find((key) => left.includes(key));
  if (again !== undefined) throw duplicateCall(index, again);
  const openCallsAfter = left.length + facts.opens.length === 0 ? noCalls : [...left, ...facts.opens];
  const len = end.len + 1;
  return { len, openCalls: openCallsAfter, settledLen: openCallsAfter.length === 0 ? len : end.settledLen };
}

function refuseDuplicates(facts: MessageFacts, index: number): void {
  if (facts.opens.length + facts.closes.length < 2) return;
  const keys = [...facts.opens, ...facts.closes];
  const call = keys.find((key, at) => keys.indexOf(key) !== at);
  if (call === undefined) return;
  throw duplicateCall(index, call);
}

/** True for what only answers, and for what works for everything that is left open. */
function mayFollow(facts: MessageFacts, left: readonly string[]): boolean {
  if (facts.closes.length > 0 && facts.opens.length === 0) return true;
  return left.every((key) => facts.within?.includes(key) ?? false);
}

function duplicateCall(index: number, call: string): SessionError {
  return new SessionError("duplicate_call", `message ${index} names ${call} twice`, {
    details: { index, call },
  });
}

function openCalls(index: number, open: readonly string[]): SessionError {
  const names = open.join(", ");
  return new SessionError(
    "open_calls",
    `message ${index} may not follow while ${names} waits for an answer`,
    {
      details: { index, open: [...open] },
    },
  );
}
