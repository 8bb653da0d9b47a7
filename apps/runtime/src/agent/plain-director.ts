import type { ToolDefinition } from "../providers/model.ts";
import { dispatchRound, type RoundPorts } from "./dispatch-round.ts";
import type { TurnDirector } from "./turn-director.ts";

/** A turn that ends when the model has nothing more to call. */
export function plainDirector(tools: readonly ToolDefinition[], ports: RoundPorts): TurnDirector {
  const offer = { tools, toolChoice: { type: "auto" } } as const;
  return {
    next(run) {
      const stoppedBy = run.bounds.exceeded();
      return stoppedBy === undefined ? { kind: "round", offer } : { kind: "end", stoppedBy };
    },
    refused: () => false,
    async calls(run, calls) {
      const { parked } = await dispatchRound(run, calls, ports);
      return parked === undefined ? { kind: "continue" } : { kind: "parked", approvalId: parked };
    },
    prose: async () => ({ kind: "end" }),
  };
}
