import { BasisError } from "@basis/core";

/** The stages of a start, in their order; the first that fails reports all its problems. */
export type StartStage =
  | "arguments"
  | "data_directory"
  | "store"
  | "session"
  | "workspace"
  | "trust"
  | "schema"
  | "script"
  | "provider";

/** A refusal to start, before any model call. Its exit code is 2 for arguments and 5 for everything else. */
export class StartError extends BasisError<StartStage, { readonly problems: readonly string[] }> {
  constructor(stage: StartStage, problems: readonly string[], cause?: unknown) {
    super(stage, problems.join("\n"), { details: { problems }, cause });
  }

  get exitCode(): 2 | 5 {
    return this.code === "arguments" ? 2 : 5;
  }
}

/** Runs one stage of the start; whatever it throws is reported as that stage's refusal. */
export async function startStage<T>(stage: StartStage, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw startError(stage, error);
  }
}

/** What went wrong in a stage, as its refusal; a refusal stays what it is. */
export function startError(stage: StartStage, error: unknown): StartError {
  if (error instanceof StartError) return error;
  return new StartError(stage, [error instanceof Error ? error.message : String(error)], error);
}

/** Does several things of one stage and reports the problems of all. The stage's code is the first that failed. */
export async function startTogether<const T extends readonly Promise<unknown>[]>(
  ...work: T
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  const settled = await Promise.allSettled(work);
  const refusals = settled.flatMap((each) =>
    each.status === "rejected" ? [startError("workspace", each.reason)] : [],
  );
  const [first] = refusals;
  if (first !== undefined && refusals.length > 1) {
    throw new StartError(
      first.code,
      refusals.flatMap(({ details }) => details.problems),
      first,
    );
  }
  if (first !== undefined) throw first;
  return settled.map((each) => (each as PromiseFulfilledResult<unknown>).value) as never;
}
