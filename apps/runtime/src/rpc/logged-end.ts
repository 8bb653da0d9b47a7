import type { EventEmitter } from "../events/event-emitter.ts";
import { readRunAccount, type RunAccount } from "../runs/run-account.ts";
import type { TurnEnd, TurnNames } from "./turn-end.ts";
import { wireAccount } from "./wire-output.ts";

/** How a turn ended, as its log tells it now; undefined when that does not tell it any more. */
export async function loggedEnd(
  events: Pick<EventEmitter, "read" | "readBack">,
  names: TurnNames,
): Promise<TurnEnd | undefined> {
  for await (const event of events.readBack(names.session))
    if (event.type === "run_finished" && event.run === names.run)
      return endFrom(names, await readRunAccount(events.read(names.session), event));
  return undefined;
}

/** As the end of a turn of this process is told. */
export function endFrom(names: TurnNames, account: RunAccount): TurnEnd {
  const { end, text, output } = account;
  const { status, stopped_by: stoppedBy, error, approval_id: approvalId, usage } = end;
  const isOver = status === "completed" || stoppedBy === "output";
  const lacksValue = output !== undefined && output.status !== "accepted";
  const whole = lacksValue ? "failed" : "completed";
  const wire = wireAccount(account);
  return {
    ...names,
    status: isOver && output !== undefined ? whole : status,
    ...(!isOver && stoppedBy !== undefined && { stopped_by: stoppedBy }),
    text,
    ...(error !== undefined && { error }),
    ...(approvalId !== undefined && { approval_id: approvalId }),
    ...(wire && { output: wire }),
    usage: usage.subtree,
  };
}
