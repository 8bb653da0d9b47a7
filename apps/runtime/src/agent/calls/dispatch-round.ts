import { whenThere } from "../../events/event-log.ts";
import type { BlobStore } from "@mobkit/session";
import { commitResult } from "./commit-result.ts";
import { dispatchCall, type DispatchPorts, type Settled } from "./dispatch-call.ts";
import type { QueuedCall } from "./queued-call.ts";
import type { RunContext } from "../run/run-context.ts";
import type { ToolOutcome } from "../../tools/tool.ts";

/** What a round of calls needs beside the run. */
export interface RoundPorts extends DispatchPorts {
  readonly blobs: BlobStore;
}

/** What came of a round: the results that were committed, and the approval that it waits for, if any. */
export interface RoundResult {
  readonly outcomes: readonly { readonly call: QueuedCall; readonly result: ToolOutcome }[];
  readonly parked?: string;
}

/**
 * Runs the calls of one round: neighbours that are safe side by side at once, every other call alone and in order.
 * Each result is committed as soon as it is there.
 */
export async function dispatchRound(
  run: RunContext,
  calls: readonly QueuedCall[],
  ports: RoundPorts,
): Promise<RoundResult> {
  const outcomes: { call: QueuedCall; result: ToolOutcome }[] = [];
  let parked: string | undefined;
  const note = (call: QueuedCall, settled: Settled): void => {
    if (settled.state === "parked") parked ??= settled.approvalId;
    else outcomes.push({ call, result: settled.outcome });
  };
  for (const lane of lanesOf(run, calls)) {
    if (lane.length === 1) note(lane[0]!, await settle(run, lane[0]!, ports));
    else (await settleLane(run, lane, ports)).forEach((settled, index) => note(lane[index]!, settled));
  }
  return parked === undefined ? { outcomes } : { outcomes, parked };
}

/** Waits for all of a lane before the first failure is told, so that nothing of it still runs. */
async function settleLane(
  run: RunContext,
  lane: readonly QueuedCall[],
  ports: RoundPorts,
): Promise<readonly Settled[]> {
  const all = await Promise.allSettled(lane.map((call) => settle(run, call, ports)));
  return all.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}

function settle(run: RunContext, call: QueuedCall, ports: RoundPorts): Promise<Settled> {
  if (run.ending.aborted) return Promise.reject(run.ending.reason);
  return dispatchCall({ run, call, ports }).then((settled) => {
    if (settled.state === "parked") return settled;
    const { outcome } = settled;
    return whenThere(commitResult(run, call, { outcome, blobs: ports.blobs }), () => settled);
  });
}

/** Groups neighbours that may run side by side. */
function lanesOf(run: RunContext, calls: readonly QueuedCall[]): readonly QueuedCall[][] {
  const lanes: QueuedCall[][] = [];
  let open = false;
  for (const call of calls) {
    const safe = run.agent.tools.get(call.toolName)?.parallelSafe(call.input) ?? false;
    if (safe && open) lanes.at(-1)!.push(call);
    else lanes.push([call]);
    open = safe;
  }
  return lanes;
}
