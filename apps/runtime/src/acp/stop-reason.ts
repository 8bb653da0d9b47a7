import type { StopReason } from "@agentclientprotocol/sdk";
import type { TurnEnd } from "../rpc/turn-end.ts";

/** What a turn's end is judged by. */
export interface EndedTurn {
  readonly end: TurnEnd;
  /** The editor asked for it to end. */
  readonly isCancelled: boolean;
  /** The finish reason of the last answer of the model, as events tell it. */
  readonly finish: string | undefined;
}

/** Why a turn ended, in the protocol's words; undefined for one that failed, which is an error. */
export function stopReason({ end, isCancelled, finish }: EndedTurn): StopReason | undefined {
  if (isCancelled || end.status === "cancelled") return "cancelled";
  switch (end.status) {
    case "completed":
      return ofFinish(finish);
    case "stopped":
      return ofBound(end.stopped_by);
    case "parked":
      return "end_turn";
    case "failed":
      return undefined;
  }
}

function ofFinish(finish: string | undefined): StopReason {
  if (finish === "length") return "max_tokens";
  return finish === "content_filter" ? "refusal" : "end_turn";
}

/** A stop that no bound made is the server's own end. */
function ofBound(bound: string | undefined): StopReason {
  if (bound === "stop") return "cancelled";
  return bound === "token_budget" ? "max_tokens" : "max_turn_requests";
}
