import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import type { HookChain } from "../hook-chain.ts";
import { childEnvironment, type Environment } from "../process/child-environment.ts";
import type { HookSettings } from "../node/hook-spec.ts";
import { isInside } from "../process/path-inside.ts";
import { resolveProgram } from "../process/resolve-program.ts";
import { programName } from "../trust/interpreters.ts";
import { askQuestion } from "./ask-question.ts";
import type { CallQuestion } from "./call-question.ts";

/** How long a hook took to answer, in milliseconds. */
export interface HookTimes {
  readonly runs: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  /** The first answer: of a worker it includes the start. */
  readonly firstMs: number;
  /** Answers that were none, by what went wrong. */
  readonly failures: readonly string[];
}

/** After so many failures it is known that a hook cannot answer; each may have taken its whole timeout. */
const ENOUGH_FAILURES = 3;

/** Asks a chain of one hook about a call, again and again. The first answer of a worker is not among the others. */
export async function measureHook(
  chain: HookChain,
  question: CallQuestion,
  options: { readonly runs: number; readonly isWorker: boolean; readonly signal: AbortSignal },
): Promise<HookTimes> {
  const { runs, isWorker, signal } = options;
  const times: number[] = [];
  const failures: string[] = [];
  for (let run = 0; run < runs + (isWorker ? 1 : 0) && failures.length < ENOUGH_FAILURES; run += 1) {
    const { record } = await askQuestion(chain, question, signal);
    const entry = record.asked[0];
    if (entry === undefined) continue;
    times.push(entry.ms);
    if (entry.failure !== undefined) failures.push(entry.failure.detail);
  }
  const later = (isWorker ? times.slice(1) : times).toSorted((left, right) => left - right);
  return {
    runs: later.length,
    medianMs: quantile(later, 0.5),
    p99Ms: quantile(later, 0.99),
    firstMs: times[0] ?? 0,
    failures: [...new Set(failures)],
  };
}

/** The smallest value that so large a part does not exceed. */
export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
}

/** Programs that can be told to do nothing, and how. */
const NOTHING: readonly { readonly names: RegExp; readonly args: readonly string[] }[] = [
  { names: /^(node|nodejs)\d*$/, args: ["-e", "0"] },
  { names: /^python[\d.]*$/, args: ["-c", "0"] },
  { names: /^(sh|dash|bash|zsh|ksh)$/, args: ["-c", ":"] },
  { names: /^(perl|ruby)[\d.]*$/, args: ["-e", "0"] },
];
const PROBES = 5;
const PROBE_TIMEOUT_MS = 2000;

/**
 * The median time that a hook's interpreter takes to start and do nothing; undefined for a program that cannot be told
 * to do nothing, or that is not the system's.
 */
export function startTimeMs(
  settings: HookSettings,
  { workspace, env: host }: { readonly workspace: string; readonly env: Environment },
): number | undefined {
  const [word = ""] = settings.command;
  const env = childEnvironment(host, { workspace, granted: [] });
  const program = resolveProgram(word, { workspace, env });
  const nothing = NOTHING.find(({ names }) => names.test(programName(word)));
  if (program === undefined || nothing === undefined || isInside(workspace, program)) return undefined;
  const times = Array.from({ length: PROBES }, () => {
    const startMs = performance.now();
    // Not in the workspace: an interpreter may read files of the directory that it is started in.
    const { status } = spawnSync(program, nothing.args, {
      cwd: dirname(program),
      env,
      stdio: "ignore",
      timeout: PROBE_TIMEOUT_MS,
    });
    return status === 0 ? performance.now() - startMs : Number.NaN;
  });
  const median = quantile(
    times.toSorted((left, right) => left - right),
    0.5,
  );
  return Number.isNaN(median) ? undefined : median;
}
