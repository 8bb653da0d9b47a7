import type { BasisEvent, EventType } from "../../src/events/event-schema.ts";
import { foldCall } from "./fold-call.ts";
import type { EventOf, FoldContext } from "./fold-context.ts";
import { foldFork } from "./fold-fork.ts";
import { foldRun, type RunEvent } from "./fold-run.ts";
import { sessionOf, type Model } from "./model.ts";
import { see } from "./seen-numbers.ts";
import type { Told } from "./told-event.ts";

/**
 * Takes what was told into the model, whatever it is. Events of a session come in order; how those of several sessions
 * are mixed makes no difference. Answers whether it was new: a number that was there already is passed over, and one
 * that does not follow leaves a gap that is told.
 */
export function fold(model: Model, told: Told): boolean {
  if (told.kind === "broken") {
    model.tally.broken += 1;
    model.tally.problem ??= `${told.line === undefined ? "the first" : `line ${told.line}`} ${told.problem}`;
    return true;
  }
  const { session: id, seq, ts, type } = told.event;
  const session = sessionOf(model, id);
  if (seq !== undefined && !see(session.seen, seq)) return false;
  const at = Date.parse(ts);
  if (seq !== undefined) {
    session.last = seq;
    session.firstAt ??= at;
    session.lastAt = Math.max(session.lastAt ?? at, at);
    model.tally.events += 1;
  }
  if (told.kind === "unknown") model.tally.unknown.set(type, (model.tally.unknown.get(type) ?? 0) + 1);
  else foldEvent({ model, session, at }, told.event);
  return true;
}

/** All but those of runs: they are the rest. */
const byType: {
  readonly [T in Exclude<EventType, RunEvent["type"]>]: (context: FoldContext, event: EventOf<T>) => void;
} = {
  tool_queued: foldCall,
  tool_started: foldCall,
  tool_progress: foldCall,
  tool_completed: foldCall,
  hook_decided: foldCall,
  hook_failed: foldCall,
  permission_requested: foldCall,
  permission_resolved: foldCall,
  child_previewed: foldCall,
  child_started: foldCall,
  child_finished: foldCall,
  fork_committed: foldFork,
  fork_provisioned: foldFork,
  fork_failed: foldFork,
  fork_recovered: foldFork,
};

function foldEvent(context: FoldContext, event: BasisEvent): void {
  const others = byType as Readonly<Partial<Record<EventType, (context: FoldContext, event: never) => void>>>;
  (others[event.type] ?? foldRun)(context, event as never);
}
