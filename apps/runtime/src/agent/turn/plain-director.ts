import type { FinishReason, ToolDefinition } from "../../providers/model.ts";
import { dispatchRound, type RoundPorts } from "../calls/dispatch-round.ts";
import type { TurnDirector } from "./turn-director.ts";

/** A turn that ends when the model has nothing more to call. */
export function plainDirector(tools: readonly ToolDefinition[], ports: RoundPorts): TurnDirector {
  const offer = { tools, toolChoice: { type: "auto" } } as const;
  return {
    endsWithProse: true,
    next(run) {
      const stoppedBy = run.bounds.exceeded();
      return stoppedBy === undefined ? { kind: "round", offer } : { kind: "end", stoppedBy };
    },
    refused: () => false,
    calls: (run, calls) =>
      dispatchRound(run, calls, ports).then(({ parked }) =>
        parked === undefined ? { kind: "continue" } : { kind: "parked", approvalId: parked },
      ),
    prose(run, { finishReason }) {
      const remark = remarks.get(finishReason);
      if (remark !== undefined) run.emit("notice", { text: remark });
      return { kind: "end" };
    },
  };
}

/** What is to be said of an answer that did not end by itself. */
const remarks: ReadonlyMap<FinishReason, string> = new Map<FinishReason, string>([
  ["length", "the answer was cut off at the model's output limit"],
  ["content_filter", "the provider withheld the rest of the answer"],
  ["error", "the provider ended the answer with an error"],
]);
