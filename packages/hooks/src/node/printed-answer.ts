import type { AnswerCheck } from "../hook-decision.ts";
import { decodeAnswer } from "../wire.ts";

/**
 * Reads all that a one-shot program printed. `exact` is false when its bytes were no UTF-8: then an input or output
 * with characters put in their place is not the one that the program meant, and only a denial stands.
 */
export function decodePrinted(stdout: { readonly text: string; readonly exact: boolean }): AnswerCheck {
  const decoded = decodeAnswer(stdout.text);
  if (!decoded.ok || stdout.exact || decoded.answer.decision === "deny") return decoded;
  return { ok: false, problem: "it is not UTF-8 text" };
}
