import type { AnswerCheck } from "../hook-decision.ts";
import type { PrintedText } from "../process/command.ts";
import { decodeAnswer } from "../wire.ts";

/**
 * Reads all that a one-shot program printed. Where its bytes were no UTF-8, an input or output with characters put in
 * their place is not the one that it meant; where it overwrote some, they may have held another answer. Only a denial
 * stands then.
 */
export function decodePrinted(stdout: PrintedText): AnswerCheck {
  const decoded = decodeAnswer(stdout.text);
  if (!decoded.ok || decoded.answer.decision === "deny") return decoded;
  if (stdout.overwritten) return { ok: false, problem: "it overwrote what it had printed" };
  return stdout.exact ? decoded : { ok: false, problem: "it is not UTF-8 text" };
}
