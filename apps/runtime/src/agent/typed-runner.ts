import type { ModelCapabilities, TurnRequest, TurnRunner } from "@basis/typed-output";
import type { Model, ToolDefinition } from "../providers/model.ts";
import { RunBounds } from "./run-bounds.ts";
import { runTurn, type Turn, type TurnPorts } from "./run-turn.ts";
import { TypedDirector } from "./typed-director.ts";

/** A host's turns as the port of `@basis/typed-output`. */
export function typedRunner(
  turn: Omit<Turn, "director" | "prompt">,
  tools: readonly ToolDefinition[],
  ports: TurnPorts,
): TurnRunner {
  return {
    capabilities: capabilitiesOf(turn.agent.model),
    async run({ prompt, gate, signal }: TurnRequest) {
      const director: Turn["director"] = (roundPorts) => new TypedDirector(gate, tools, roundPorts);
      return (await runTurn({ ...turn, prompt, director, signal }, ports)).report;
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
export function turnBounds(bounds: RunBounds): {
  readonly deadlineMs?: number;
  readonly tokenBudget?: number;
} {
  const [deadlineMs, tokenBudget] = [bounds.remainingMs(), bounds.remainingTokens()];
  return {
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(tokenBudget === undefined ? {} : { tokenBudget }),
  };
}
