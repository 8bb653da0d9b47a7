import { SessionError, type BundleProblem } from "../session-error.ts";

/** What is wrong with a line or a row, before anybody knows where it stands. */
export class BundleFlaw extends Error {
  readonly problem: BundleProblem;
  readonly field: string;

  constructor(problem: BundleProblem, field: string, reason: string) {
    super(reason);
    this.name = "BundleFlaw";
    this.problem = problem;
    this.field = field;
  }
}

/** The refusal of a bundle. `line` counts from 1. */
export function invalidBundle(line: number, flaw: BundleFlaw): SessionError<"invalid_bundle"> {
  const { problem, field, message: reason } = flaw;
  const place = field === "" ? `line ${line}` : `line ${line}, ${field}`;
  return new SessionError("invalid_bundle", `the bundle can't be taken: ${place}: ${reason}`, {
    details: { line, problem, field, reason },
    cause: flaw.cause,
  });
}
