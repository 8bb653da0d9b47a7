import type {
  AttemptRecord,
  ModelCapabilities,
  OutputSpec,
  TurnRequest,
  TurnRunner,
} from "@basis/typed-output";
import type { Image } from "../../images/image.ts";
import { withImages } from "../../images/prompt.ts";
import type { Model, ToolDefinition } from "../../providers/model.ts";
import type { Cue } from "../run/cue.ts";
import type { WaitingOutput } from "../turn/kept-account.ts";
import type { BoundsOptions } from "../run/run-bounds.ts";
import { runTurn, type Turn, type TurnPorts } from "../turn/run-turn.ts";
import { AttemptQueue } from "./tell-attempts.ts";
import { TypedDirector } from "./typed-director.ts";

/** How a typed run begins. */
export interface TypedBeginning {
  readonly spec: OutputSpec<unknown>;
  /** True: where a typed turn waited, without a prompt. */
  readonly goesOn: boolean;
  /** What is kept of it should it wait: its schema, and how many candidates were judged before. */
  readonly output: WaitingOutput;
  /** What is shown with the prompt. */
  readonly images: readonly Image[];
}

/** Stands in a typed run where its prompt has no words. */
export const WORDLESS = "the turn goes on";

/** A host's turns as the port of `@basis/typed-output`, and what a typed run has to be told. */
export interface TypedRunner {
  readonly runner: TurnRunner;
  readonly onAttempt: (record: AttemptRecord, value: unknown) => void;
}

/** A turn that is still to be directed; `stopping` is given with a `StopError`. */
export type TypedTurnParts = Omit<Turn, "director" | "prompt" | "signals"> & {
  readonly stopping: Cue;
};

/**
 * Makes a runner of typed turns. A stop is the host's business and keeps its work; the request's own signal cancels.
 */
export function typedRunner(
  { stopping, ...turn }: TypedTurnParts,
  tools: readonly ToolDefinition[],
  ports: TurnPorts,
): (beginning: TypedBeginning) => Promise<TypedRunner> {
  return async ({ spec, goesOn, output, images }) => {
    const capabilities = await capabilitiesFor(spec, turn.agent.model);
    const attempts = new AttemptQueue();
    let judged = output.attempts;
    return {
      onAttempt(record, value) {
        judged += 1;
        attempts.hear(record, value);
      },
      runner: {
        capabilities,
        async run({ prompt, gate, signal }: TurnRequest) {
          const finished = await runTurn(
            {
              ...turn,
              prompt: goesOn ? undefined : withImages(prompt === WORDLESS ? "" : prompt, images),
              director: (roundPorts) => new TypedDirector({ gate, tools, attempts }, roundPorts),
              waitingOutput: () => ({ ...output, attempts: judged }),
              signals: [signal, stopping],
            },
            ports,
          );
          return finished.report;
        },
      },
    };
  };
}

async function capabilitiesFor(
  spec: OutputSpec<unknown>,
  { ref, capabilities }: Model,
): Promise<ModelCapabilities> {
  const dialect = await fittingDialect(spec, capabilities.dialect);
  return {
    model: { provider: ref.provider, id: ref.id },
    tools: true,
    forced: capabilities.forcedChoice,
    native: capabilities.nativeSchema ? "alone" : "none",
    ...(dialect !== undefined && { dialect }),
  };
}

/**
 * The model's dialect where the spec can be said in it and keeps its limits. Else the schema is sent as it was written:
 * the provider then holds nobody to it, but takes it, and the answer is checked here all the same.
 */
async function fittingDialect(
  spec: OutputSpec<unknown>,
  dialect: Model["capabilities"]["dialect"],
): Promise<ModelCapabilities["dialect"]> {
  if (dialect === undefined) return undefined;
  const { limits, unsupported } = await spec.check({ dialect });
  return unsupported.length === 0 && limits.every(({ exceeded }) => !exceeded) ? dialect : undefined;
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
