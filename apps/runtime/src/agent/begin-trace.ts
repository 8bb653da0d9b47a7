import type { SessionRecord } from "@mobkit/session";
import type { RunTrace } from "../telemetry/run-trace.ts";
import type { Turn, TurnPorts } from "./run-turn.ts";

/** Begins the trace of a run. One of a session that was forked is linked to the run that it was forked from. */
export function beginTrace(
  turn: Turn,
  { tracing, events }: TurnPorts,
  { run, head }: { readonly run: string; readonly head: SessionRecord },
): RunTrace | undefined {
  if (tracing === undefined) return undefined;
  const { agent, sessionId: session, traced } = turn;
  const { name, agentId, model } = agent;
  const { parent, createdAt: at } = head;
  return tracing.begin({
    session,
    run,
    agent: { name, agentId },
    model: model.ref,
    below: traced,
    source: parent
      ? { session: parent.sessionId, at, events: () => events.readBack(parent.sessionId) }
      : undefined,
  });
}
