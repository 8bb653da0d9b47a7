import { DeadlineError, onAbort, systemClock, type Clock, type JoinedSignal } from "@basis/core";
import { bareAttempt, conclude, type RunnerOutcome } from "./conclude.ts";
import { sharedLadderMemory, type LadderMemory } from "./ladder-memory.ts";
import { ladderKey, rungsFor, type LadderStep, type Rung } from "./ladder.ts";
import type { Dialect, DialectName, LoweredSchema } from "./lowering/index.ts";
import { OpenGate } from "./open-gate.ts";
import { outputError } from "./output-error.ts";
import type { OutputOptions } from "./output-options.ts";
import type { OutputAttempt } from "./output-result.ts";
import type { OutputSpec } from "./output-spec.ts";
import { claimReservation, isReservation, type OutputReservation } from "./reserve-output.ts";
import type { OutputSubject } from "./run-output.ts";
import type { ReplyWatch, ReplyWatchOptions } from "./stream/reply-watch.ts";
import { refusalOf, type Shown } from "./schema-refusal.ts";
import { checkBounds } from "./turn-budget.ts";
import type { ModelCapabilities, TurnRunner } from "./turn-runner.ts";

export { toOutputError } from "./thrown-attempt.ts";

/** What is asked for, and how. */
export interface Asked {
  readonly prompt: string;
  readonly options: OutputOptions;
  /** Makes what watches the replies while they come. */
  readonly watch?: (parts: WatchParts) => ReplyWatch;
}

/** What a watch is told of its run. */
export type WatchParts = Pick<ReplyWatchOptions, "spec" | "toolName" | "lowering" | "redact">;

/** Carries out one run; resolves with its result whatever happens. */
export async function runTyped<T>(
  runner: TurnRunner,
  subject: OutputSubject<T>,
  asked: Asked,
): Promise<OutputAttempt<T>> {
  const spec = isReservation(subject) ? subject.spec : subject;
  try {
    return await prepare(runner, subject, asked);
  } catch (error) {
    return bareAttempt(spec, { status: "failed", error });
  }
}

/** Everything that can be refused before a turn exists, then the run. */
async function prepare<T>(
  runner: TurnRunner,
  subject: OutputSubject<T>,
  { prompt, options, watch }: Asked,
): Promise<OutputAttempt<T>> {
  if (typeof prompt !== "string" || prompt.trim() === "") {
    throw outputError("empty_prompt", "a typed run needs a prompt", { details: {} });
  }
  const { attempts = 3, attemptsUsed, bounds = {} } = options;
  checkBounds(bounds, attempts, attemptsUsed);
  const reservation = claimReservation(subject);
  const { spec } = reservation;
  const memory = options.memory ?? sharedLadderMemory();
  const refused = memory.refused(ladderKey(runner.capabilities));
  const ladder = planLadder(runner.capabilities, { options, refused, working: spec.keepsTools });
  if ("hint" in ladder) {
    const { hint } = ladder;
    return bareAttempt(
      spec,
      { status: "unsupported", at: "strategy", hint, ledger: spec.ledger },
      reservation,
    );
  }
  const compiled = await spec.compile();
  const { dialect } = runner.capabilities;
  const shown = dialect === undefined ? { spec } : await showSpec(spec, dialect);
  const hint = refusalOf(shown, options.loss);
  if (hint !== undefined) {
    const { ledger } = shown.spec;
    return bareAttempt(shown.spec, { status: "unsupported", at: "schema", hint, ledger }, reservation);
  }
  const { lowering } = shown;
  return run(
    runner,
    { prompt, options, ...(watch && { watch }) },
    {
      ...ladder,
      memory,
      reservation: { ...reservation, spec: shown.spec },
      compiled,
      lowering,
      strict: lowering?.dialect.strict === true && !refused.includes("strict"),
    },
  );
}

async function showSpec<T>(spec: OutputSpec<T>, dialect: DialectName | Dialect): Promise<Shown<T>> {
  const module = await import("./show-spec.ts");
  return module.showSpec(spec, dialect);
}

interface Ladder {
  readonly rungs: readonly Rung[];
  readonly skipped: readonly Rung[];
}

/** The ways of asking that are left, or why there are none. */
function planLadder(
  capabilities: ModelCapabilities,
  { options, refused, working }: { options: OutputOptions; refused: readonly LadderStep[]; working: boolean },
): Ladder | { readonly hint: string } {
  const able = rungsFor(capabilities);
  if (working && !capabilities.tools) return { hint: "the model has no tools; ask without withTools()" };
  const { strategy } = options;
  if (strategy !== undefined) {
    if (able.includes(strategy)) return { rungs: [strategy], skipped: [] };
    return { hint: `the model cannot do '${strategy}'; it can do ${able.join(", ")}` };
  }
  const left = able.filter((rung) => !refused.includes(rung));
  const rungs = left.length > 0 ? left : able.slice(-1);
  return { rungs, skipped: able.filter((rung) => !rungs.includes(rung)) };
}

interface Prepared<T> extends Ladder {
  readonly memory: LadderMemory;
  readonly reservation: OutputReservation<T>;
  readonly compiled: Awaited<ReturnType<OutputSpec<T>["compile"]>>;
  readonly lowering: LoweredSchema | undefined;
  readonly strict: boolean;
}

async function run<T>(
  runner: TurnRunner,
  { prompt, options, watch }: Asked,
  { rungs, skipped, memory, reservation, compiled, lowering, strict }: Prepared<T>,
): Promise<OutputAttempt<T>> {
  const { capabilities } = runner;
  const { clock = systemClock, bounds = {}, graceMs = 5_000, closing, redact = false } = options;
  const patience = new Patience((ring) => clock.alarm(graceMs, ring));
  const { signal, release } = runSignal(options.signal, { deadlineMs: bounds.deadlineMs, clock, patience });
  const policy =
    closing === "none" ? { reminder: false, forced: false } : { reminder: true, forced: true, ...closing };
  const gate = new OpenGate<T>({
    reservation,
    compiled,
    lowering,
    capabilities,
    rungs,
    skipped,
    strict,
    bounds,
    signal,
    clock,
    attempts: options.attempts ?? 3,
    attemptsUsed: options.attemptsUsed ?? 0,
    closing: policy,
    siblings: options.siblings ?? "skip",
    redact,
    forgets: options.history === "minimal" && capabilities.forgets === true,
    watch: watch?.({ spec: reservation.spec, toolName: reservation.toolName, lowering, redact }),
    validate: options.validate,
    agentId: options.agentId,
    onAttempt: options.onAttempt,
    onEnd: () => patience.begin(),
    onRefusedStep: (step) => memory.remember(ladderKey(capabilities), step),
  });
  try {
    const ran = call(runner, { prompt, gate, bounds, signal });
    const outcome = await Promise.race([ran, patience.over]);
    return conclude(gate, outcome, signal);
  } finally {
    gate.abandon({ status: "cancelled" });
    patience.end();
    release();
  }
}

/** The signal of a run: the caller's and its deadline's. Once it aborts, the host is waited for no longer than its grace. */
function runSignal(
  outer: AbortSignal | undefined,
  { deadlineMs, clock, patience }: { deadlineMs: number | undefined; clock: Clock; patience: Patience },
): JoinedSignal {
  const controller = new AbortController();
  const abort = (reason: unknown): void => {
    controller.abort(reason);
    patience.begin();
  };
  const stopWatching = outer && !outer.aborted ? onAbort(outer, () => abort(outer.reason)) : undefined;
  if (outer?.aborted) abort(outer.reason);
  const stopAlarm =
    deadlineMs === undefined
      ? undefined
      : clock.alarm(deadlineMs, () => abort(new DeadlineError(deadlineMs)));
  const release = (): void => {
    stopAlarm?.();
    stopWatching?.();
  };
  return { signal: controller.signal, release };
}

async function call(runner: TurnRunner, request: Parameters<TurnRunner["run"]>[0]): Promise<RunnerOutcome> {
  try {
    return { type: "report", report: await runner.run(request) };
  } catch (error) {
    return { type: "threw", error };
  }
}

/** Gives a host that should be returning a while, then gives it up. */
class Patience {
  readonly over: Promise<RunnerOutcome>;
  readonly #alarm: (ring: () => void) => () => void;
  #giveUp: () => void = () => undefined;
  #cancel: (() => void) | undefined;

  constructor(alarm: (ring: () => void) => () => void) {
    this.#alarm = alarm;
    this.over = new Promise((resolve) => {
      this.#giveUp = () => resolve({ type: "unresponsive" });
    });
  }

  begin(): void {
    this.#cancel ??= this.#alarm(() => this.#giveUp());
  }

  end(): void {
    this.#cancel?.();
  }
}
