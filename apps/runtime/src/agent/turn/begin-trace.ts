import type { SessionRecord } from "@mobkit/session";
import type { ForkSource, RunTrace, Tracing } from "../../telemetry/run-trace.ts";
import type { Turn, TurnPorts } from "./run-turn.ts";

/** Begins the trace of a run. One of a session that was forked is linked to the run that it was forked from. */
export async function beginTrace(
  turn: Turn,
  { tracing, events }: Pick<TurnPorts, "events"> & { readonly tracing: Tracing },
  { run, head }: { readonly run: string; readonly head: SessionRecord },
): Promise<RunTrace | undefined> {
  const { agent, sessionId: session, traced } = turn;
  const { name, agentId, model } = agent;
  return tracing.begin({
    session,
    run,
    agent: { name, agentId },
    model: model.ref,
    below: traced,
    source: await sourceOf(events, head),
  });
}

/** The last run that had begun in a session's source when it was forked. */
async function sourceOf(
  events: TurnPorts["events"],
  { parent, createdAt }: SessionRecord,
): Promise<ForkSource | undefined> {
  if (parent === null) return undefined;
  const session = parent.sessionId;
  let firstRow = 0;
  for await (const event of events.readBack(session)) {
    if ("row" in event.data) firstRow = event.data.row;
    if (event.type !== "run_started") continue;
    const began = Date.parse(event.ts);
    // Within one millisecond the rows tell which came first.
    const isBefore = began < createdAt || (began === createdAt && firstRow < parent.len);
    if (isBefore) return { session, traceparent: event.data.traceparent };
  }
  return undefined;
}
