import { isForkError, type AnyForkError, type ForkError, type ForkErrorKind } from "../../src/index.ts";

/** The ForkError that a promise rejects with. */
export async function refusal(work: Promise<unknown>): Promise<AnyForkError> {
  const outcome = await work.then(
    () => new Error("it was accepted"),
    (error: unknown) => error,
  );
  if (isForkError(outcome)) return outcome;
  throw outcome;
}

/** The same, of one kind. */
export async function refusalOf<Kind extends ForkErrorKind>(
  kind: Kind,
  work: Promise<unknown>,
): Promise<ForkError<Kind>> {
  const error = await refusal(work);
  if (isForkError(error, kind)) return error;
  throw error;
}
