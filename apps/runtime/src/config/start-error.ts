import { BasisError, isBasisError } from "@basis/core";
import { HookError, type AnyHookError } from "@basis/hooks";

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
  | "provider"
  | "server";

/** A refusal to start, before any model call. Its exit code is 2 for arguments and 5 for everything else. */
export class StartError extends BasisError<StartStage, { readonly problems: readonly string[] }> {
  // Stated, so that it is recognised also where a bundler has renamed the class.
  override readonly name: string = "StartError";

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
  const problem = error instanceof Error ? error.message : String(error);
  return new StartError(stage, [problem, ...remedyOf(error)], error);
}

/** By code, where hooks.json is not what is wrong; empty where the problem says itself what to do. */
const hookRemedies: Partial<Record<AnyHookError["code"], readonly string[]>> = {
  invalid_trust_file: [],
  modified_workspace: [],
  unpinned_code: ["name a script in a file there, or add --unpinned"],
  unreadable_file: ["make it a file that you can read, or take out what names it"],
  unsafe_global_directory: [
    "make it yours alone (chown, chmod go-w), or set BASIS_CONFIG_DIR to one that is",
  ],
};

/** What to do about a file whose problem names its place alone. */
function remedyOf(error: unknown): readonly string[] {
  if (HookError.is(error)) return hookRemedies[error.code] ?? ["correct hooks.json, or move it away"];
  if (isBasisError(error, "ModelError") && error.code === "scripted_file")
    return ["correct the scripted file; its form stands in the README under 'Scripted models'"];
  if (isBasisError(error, "ModelError") && error.code === "cassette_file")
    return ["record it anew with: basis run --record FILE; its form stands in COMMANDS.md"];
  return [];
}

/** Does several things side by side; when several fail, the problems of the earliest stage are reported together. */
export async function startTogether<const T extends readonly Promise<unknown>[]>(
  ...work: T
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  const settled = await Promise.allSettled(work);
  const failures = settled.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
  if (failures.length > 0) throw joinRefusals(failures);
  return settled.map((each) => (each as PromiseFulfilledResult<unknown>).value) as never;
}

/** One error for several: the only one as it is, else the refusal of the earliest stage with the problems of all in it. */
export function joinRefusals(failures: readonly unknown[]): unknown {
  if (failures.length === 1) return failures[0];
  const refusals = failures.map((failure) => startError(stageOf(failure), failure));
  const first = Math.min(...refusals.map(({ code }) => ranks[code]));
  const earliest = refusals.filter(({ code }) => ranks[code] === first);
  if (earliest.length === 1) return earliest[0];
  const problems = earliest.flatMap(({ details }) => details.problems);
  return new StartError(earliest[0]!.code, problems, earliest[0]);
}

/** The order of the stages; those that are found out together have the same rank. */
const ranks: Readonly<Record<StartStage, number>> = {
  arguments: 0,
  data_directory: 1,
  store: 1,
  session: 2,
  workspace: 3,
  trust: 4,
  schema: 5,
  script: 5,
  provider: 6,
  server: 7,
};

function stageOf(failure: unknown): StartStage {
  if (failure instanceof StartError) return failure.code;
  return isTrustRefusal(failure) ? "trust" : "workspace";
}

const trustCodes = ["untrusted_workspace", "modified_workspace", "unpinned_code", "invalid_trust_file"];

/** True for a refusal of hooks that are right but not trusted. */
export function isTrustRefusal(error: unknown): error is AnyHookError {
  return HookError.is(error) && trustCodes.includes(error.code);
}
