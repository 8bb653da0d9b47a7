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
    if (error instanceof StartError) throw error;
    throw new StartError(stage, [error instanceof Error ? error.message : String(error)], error);
  }
}
