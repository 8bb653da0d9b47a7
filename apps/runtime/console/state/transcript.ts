import type { EventStore } from "./event-store.ts";
import type { SessionNode } from "./model.ts";

/** A message of a session, with where it came from. */
export interface Message {
  readonly row: number;
  /** The session in whose log it stands: an ancestor's, if it was taken along by a fork. */
  readonly session: SessionNode;
  readonly seq: number;
  readonly inherited: boolean;
}

/** Where a session can be forked: between a call and its result it can't. */
export interface ForkPoint {
  /** How many messages a fork takes along. */
  readonly count: number;
  /** Why no fork can begin here; undefined where one can. */
  readonly problem: string | undefined;
}

/** The messages of a session by their places, with those that its forks took along. */
export function messagesOf(session: SessionNode): readonly Message[] {
  const rows = new Map<number, Message>();
  const seen = new Set<SessionNode>();
  let limit = Number.POSITIVE_INFINITY;
  for (let at: SessionNode | undefined = session; at !== undefined && !seen.has(at); at = at.origin?.source) {
    seen.add(at);
    for (const [row, seq] of at.messages)
      if (row < limit && !rows.has(row)) rows.set(row, { row, session: at, seq, inherited: at !== session });
    limit = Math.min(limit, at.origin?.count ?? Number.POSITIVE_INFINITY);
  }
  return [...rows.values()].toSorted((a, b) => a.row - b.row);
}

/** Most results of one answer that are looked through for the answer. */
const MAX_RESULTS = 100;

/** Where the exchange of a message begins: results of calls stand behind the message that asked for them. */
export function beginningOf(store: EventStore, messages: readonly Message[], at: number): number {
  let first = at;
  for (; first > Math.max(0, at - MAX_RESULTS); first -= 1) {
    const { session, seq } = messages[first]!;
    if (store.event(session.id, seq)?.type !== "tool_completed") break;
  }
  return first;
}

/** Whether each message may be the last one of a fork. The first one begins an exchange. */
export function forkPoints(store: EventStore, messages: readonly Message[]): readonly ForkPoint[] {
  const open = new Map<string, string>();
  return messages.map(({ row, session, seq }) => {
    const event = store.event(session.id, seq);
    if (event?.type === "assistant_message")
      for (const { tool_call_id: id, tool_name: tool } of event.data.calls) open.set(id, tool);
    if (event?.type === "tool_completed") open.delete(event.data.tool_call_id);
    const count = row + 1;
    if (event === undefined) return { count, problem: "this message is not here: its host is asked for it" };
    const [tool] = open.values();
    if (tool === undefined) return { count, problem: undefined };
    const rest = open.size === 1 ? "" : ` and ${open.size - 1} more`;
    return { count, problem: `the call of ${tool}${rest} has no result yet: a fork here would split them` };
  });
}
