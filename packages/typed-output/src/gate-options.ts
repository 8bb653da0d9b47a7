import type { Clock } from "@basis/core";
import type { Validate } from "./check-candidate.ts";
import type { SiblingPolicy } from "./gate-round.ts";
import type { LadderStep, RefusedPart, Rung } from "./ladder.ts";
import type { LoweredSchema } from "./lowering/index.ts";
import type { AttemptRecord } from "./output-result.ts";
import type { ClosingPolicy } from "./output-turn.ts";
import type { OutputSpec } from "./output-spec.ts";
import type { RunAbort } from "./run-abort.ts";
import type { CompiledSchema } from "./schema-validator.ts";
import type { ReplyWatch } from "./stream/reply-watch.ts";
import type { ModelCapabilities, TurnBounds } from "./turn-runner.ts";

/** What a gate is opened with; every choice made, every default filled in. */
export interface GateOptions<T> {
  /** As the model is shown it. */
  readonly spec: OutputSpec<T>;
  readonly toolName: string;
  readonly compiled: CompiledSchema;
  /** The schema that the model is shown instead of the author's; its answers are lifted. */
  readonly lowering?: LoweredSchema | undefined;
  readonly capabilities: ModelCapabilities;
  /** The ways of asking that are left, the first to be tried first. */
  readonly rungs: readonly Rung[];
  /** True to ask for the provider's strict mode. */
  readonly strict: boolean;
  /** Those that the model refused lately. */
  readonly skipped: readonly Rung[];
  readonly bounds: TurnBounds;
  readonly abort: RunAbort;
  readonly clock: Clock;
  readonly attempts: number;
  readonly attemptsUsed: number;
  readonly closing: ClosingPolicy;
  readonly siblings: SiblingPolicy;
  readonly redact: boolean;
  /** True to leave all failed candidates but the last out of requests. */
  readonly forgets: boolean;
  /** Watches replies while they come. */
  readonly watch?: ReplyWatch | undefined;
  readonly validate?: Validate | undefined;
  readonly agentId?: string | undefined;
  readonly onAttempt?: ((record: AttemptRecord, value?: unknown) => void) | undefined;
  /** Told when the turn is over. */
  readonly onEnd: () => void;
  /** Told of everything that the provider refused, and what of the request it named. */
  readonly onRefusedStep: (step: LadderStep, part: RefusedPart) => void;
}
