import { systemClock } from "@basis/core";
import { checkOptions } from "./check-options.ts";
import { bareAttempt, conclude, type RunnerOutcome } from "./conclude.ts";
import { afterGrace } from "./grace-watch.ts";
import { sharedLadderMemory, type LadderMemory } from "./ladder-memory.ts";
import { ladderKey } from "./ladder.ts";
import { OpenGate } from "./open-gate.ts";
import { outputError } from "./output-error.ts";
import type { OutputOptions } from "./output-options.ts";
import type { OutputAttempt } from "./output-result.ts";
import type { OutputSpec } from "./output-spec.ts";
import type { ClosingPolicy } from "./output-turn.ts";
import { planLadder, refusedStep, type Ladder } from "./plan-ladder.ts";
import { claimName, isReservation } from "./reserve-output.ts";
import { RunAbort } from "./run-abort.ts";
import type { OutputSubject } from "./run-output.ts";
import { refusalOf, type Shown } from "./schema-refusal.ts";
import type { CompiledSchema } from "./schema-validator.ts";
import type { ReplyWatch, ReplyWatchOptions } from "./stream/reply-watch.ts";
import { checkBounds } from "./turn-budget.ts";
import type { ModelCapabilities, TurnRequest, TurnRunner } from "./turn-runner.ts";

export { toOutputError } from "./thrown-attempt.ts";

/** What is asked for, and how. */
export interface Asked {
  readonly prompt: string;
  readonly options: OutputOptions;
  /** Makes what watches the replies while they come. */
  readonly watch?: ((parts: WatchParts) => ReplyWatch) | undefined;
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
    checkAsked(asked);
    const toolName = claimName(subject);
    const { options } = asked;
    const { capabilities } = runner;
    const memory = options.memory ?? sharedLadderMemory();
    const ladder = planLadder(spec, { capabilities, memory, strategy: options.strategy });
    if ("hint" in ladder) return unsupported(spec, { at: "strategy", hint: ladder.hint, toolName });
    const compiled = await spec.compile();
    const shown = await showTo(capabilities, spec);
    const hint = refusalOf(shown, options.loss);
    if (hint !== undefined) return unsupported(shown.spec, { at: "schema", hint, toolName });
    return await run(runner, asked, { ladder, memory, toolName, compiled, shown });
  } catch (error) {
    return bareAttempt(spec, { status: "failed", error });
  }
}

/** What can be refused whatever the model is. */
function checkAsked({ prompt, options }: Asked): void {
  checkOptions(options);
  if (typeof prompt !== "string" || prompt.trim() === "") {
    throw outputError("empty_prompt", "a typed run needs a prompt", { details: {} });
  }
  const { attempts = 3, attemptsUsed, bounds = {} } = options;
  checkBounds(bounds, attempts, attemptsUsed);
}

function unsupported<T>(
  spec: OutputSpec<T>,
  { at, hint, toolName }: { at: "strategy" | "schema"; hint: string; toolName: string },
): OutputAttempt<T> {
  const { ledger } = spec;
  return bareAttempt(spec, { status: "unsupported", at, hint, ledger }, toolName);
}

/** The spec as the model is shown it. */
function showTo<T>({ dialect }: ModelCapabilities, spec: OutputSpec<T>): Shown<T> | Promise<Shown<T>> {
  if (dialect === undefined) return { spec };
  return import("./show-spec.ts").then(({ showSpec }) => showSpec(spec, dialect));
}

interface Prepared<T> {
  readonly ladder: Ladder;
  readonly memory: LadderMemory;
  readonly toolName: string;
  readonly compiled: CompiledSchema;
  readonly shown: Shown<T>;
}

const wholeClosing: ClosingPolicy = Object.freeze({ reminder: true, forced: true });
const noClosing: ClosingPolicy = Object.freeze({ reminder: false, forced: false });

function closingOf({ closing }: OutputOptions): ClosingPolicy {
  if (closing === undefined) return wholeClosing;
  return closing === "none" ? noClosing : { ...wholeClosing, ...closing };
}

async function run<T>(
  runner: TurnRunner,
  { prompt, options, watch }: Asked,
  { ladder, memory, toolName, compiled, shown: { spec, lowering } }: Prepared<T>,
): Promise<OutputAttempt<T>> {
  const { capabilities } = runner;
  const { clock = systemClock, bounds = {}, graceMs = 5_000, redact = false } = options;
  const patience = new Patience((giveUp) => afterGrace(clock, graceMs, giveUp));
  const abort = new RunAbort({
    signal: options.signal,
    deadlineMs: bounds.deadlineMs,
    clock,
    onAbort: () => patience.begin(),
  });
  const gate = new OpenGate<T>({
    spec,
    toolName,
    compiled,
    lowering,
    capabilities,
    rungs: ladder.rungs,
    skipped: ladder.skipped,
    strict: ladder.mayBeStrict && lowering?.dialect.strict === true,
    bounds,
    abort,
    clock,
    attempts: options.attempts ?? 3,
    attemptsUsed: options.attemptsUsed ?? 0,
    closing: closingOf(options),
    siblings: options.siblings ?? "skip",
    redact,
    forgets: options.history === "minimal" && capabilities.forgets === true,
    watch: watch?.({ spec, toolName, lowering, redact }),
    validate: options.validate,
    agentId: options.agentId,
    onAttempt: options.onAttempt,
    onEnd: () => patience.begin(),
    onRefusedStep: (step, part) =>
      memory.remember(ladderKey(capabilities), refusedStep(spec, { step, part })),
  });
  try {
    const request = requestOf(prompt, { gate, bounds, abort });
    return conclude(gate, await patience.outcomeOf(runner, request), abort);
  } finally {
    patience.end();
    gate.abandon({ status: "cancelled" });
    abort.release();
  }
}

/** The signal is made when the host reads it. */
function requestOf(
  prompt: string,
  { gate, bounds, abort }: Pick<TurnRequest, "gate" | "bounds"> & { readonly abort: RunAbort },
): TurnRequest {
  return {
    prompt,
    gate,
    bounds,
    get signal() {
      return abort.signal;
    },
  };
}

/** Waits for a host's account, once the host should be returning only for a while. */
class Patience {
  readonly #wait: (giveUp: () => void) => () => void;
  #resolve: ((outcome: RunnerOutcome) => void) | undefined;
  #stop: (() => void) | undefined;

  constructor(wait: (giveUp: () => void) => () => void) {
    this.#wait = wait;
  }

  /** What becomes of the host's `run`. Whatever comes after that is dropped. */
  outcomeOf(runner: TurnRunner, request: TurnRequest): Promise<RunnerOutcome> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      const threw = (error: unknown): void => resolve({ type: "threw", error });
      try {
        const running = Promise.resolve(runner.run(request));
        running.then((report) => resolve({ type: "report", report }), threw);
      } catch (error) {
        threw(error);
      }
    });
  }

  begin(): void {
    this.#stop ??= this.#wait(() => this.#resolve?.({ type: "unresponsive" }));
  }

  /** From now on nobody is waited for. */
  end(): void {
    this.#stop?.();
    this.#stop = () => undefined;
  }
}
