import type { AttemptRecord, ModelCapabilities, TurnRequest, TurnRunner } from "@basis/typed-output";
import type { Model, ToolDefinition } from "../providers/model.ts";
import type { BoundsOptions } from "./run-bounds.ts";
import { runTurn, type Turn, type TurnPorts } from "./run-turn.ts";
import { AttemptQueue } from "./tell-attempts.ts";
import { TypedDirector } from "./typed-director.ts";

/** A host's turns as the port of `@basis/typed-output`, and what a typed run has to be told. */
export interface TypedRunner {
  readonly runner: TurnRunner;
  readonly onAttempt: (record: AttemptRecord) => void;
}

/** A turn that is still to be directed; `stopping` aborts with a `StopError`. */
export type TypedTurnParts = Omit<Turn, "director" | "prompt" | "signals"> & {
  readonly stopping: AbortSignal;
};

/**
 * Makes a runner of typed turns. A stop is the host's business and keeps its work; the request's own signal cancels.
 */
export function typedRunner(
  { stopping, ...turn }: TypedTurnParts,
  tools: readonly ToolDefinition[],
  ports: TurnPorts,
): TypedRunner {
  const attempts = new AttemptQueue();
  return {
    onAttempt: attempts.hear,
    runner: {
      capabilities: capabilitiesOf(turn.agent.model),
      async run({ prompt, gate, signal }: TurnRequest) {
        const director: Turn["director"] = (roundPorts) =>
          new TypedDirector({ gate, tools, attempts }, roundPorts);
        return (await runTurn({ ...turn, prompt, director, signals: [signal, stopping] }, ports)).report;
      },
    },
  };
}

function capabilitiesOf({ ref, capabilities }: Model): ModelCapabilities {
  return {
    model: { provider: ref.provider, id: ref.id },
    tools: true,
    forced: capabilities.forcedChoice,
    native: capabilities.nativeSchema ? "alone" : "none",
  };
}

/** The bounds that a typed run and its host both hold. */
export function turnBounds({ deadlineMs, tokenBudget, maxRounds }: BoundsOptions): {
  readonly deadlineMs?: number;
  readonly tokenBudget?: number;
  readonly rounds?: number;
} {
  return {
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(tokenBudget === undefined ? {} : { tokenBudget }),
    ...(maxRounds === undefined ? {} : { rounds: maxRounds }),
  };
}
