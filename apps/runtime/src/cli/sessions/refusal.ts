import type { BasisError } from "@basis/core";
import { answer, complain } from "../terminal/output-format.ts";

/** Tells why a command did not do what it was asked, and what to do now; with `asJson` the error stands on standard output too. */
export function tellRefusal(
  error: BasisError,
  told: { readonly asJson: boolean; readonly hints?: readonly string[] },
): void {
  complain(error.message);
  for (const hint of told.hints ?? []) complain(hint);
  if (told.asJson) answer(JSON.stringify(error.toJSON()));
}
