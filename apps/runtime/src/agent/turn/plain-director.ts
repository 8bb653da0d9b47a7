import type { FinishReason, ToolDefinition } from "../../providers/model.ts";
import { commitResult } from "../calls/commit-result.ts";
import { cutCall, cutCallOutcome } from "../calls/cut-call.ts";
import { dispatchRound, type RoundPorts } from "../calls/dispatch-round.ts";
import type { QueuedCall } from "../calls/queued-call.ts";
import { whenThere } from "../../events/event-log.ts";
import type { RunContext } from "../run/run-context.ts";
import type { NextStep, TurnDirector } from "./turn-director.ts";

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
    calls(run, calls, { finishReason }) {
      const cut = cutCall(calls, finishReason);
      if (cut === undefined) return dispatched(run, calls, ports);
      const { blobs } = ports;
      return whenThere(commitResult(run, cut, { outcome: cutCallOutcome, blobs }), () =>
        dispatched(run, calls.slice(0, -1), ports),
      );
    },
    prose(run, { finishReason }) {
      const remark = remarks.get(finishReason);
      if (remark !== undefined) run.emit("notice", { text: remark });
      return { kind: "end" };
    },
  };
}

function dispatched(run: RunContext, calls: readonly QueuedCall[], ports: RoundPorts): Promise<NextStep> {
  return dispatchRound(run, calls, ports).then(({ parked }) =>
    parked === undefined ? { kind: "continue" } : { kind: "parked", approvalId: parked },
  );
}

/** What is to be said of an answer that did not end by itself. */
const remarks: ReadonlyMap<FinishReason, string> = new Map<FinishReason, string>([
  ["length", "the answer was cut off at the model's output limit"],
  ["content_filter", "the provider withheld the rest of the answer"],
  ["error", "the provider ended the answer with an error"],
]);
