import { emptyUsage } from "@basis/core";
import type { SessionRecord, TranscriptRow } from "@mobkit/session";
import { callKeyOf } from "../calls/queued-call.ts";
import { toldResult, toldUser } from "../transcript/told-message.ts";
import { callsOf, textOf, type StoredCall } from "../transcript/tool-message.ts";
import { wireUsage } from "../run/run-usage.ts";
import { imagesIn, toldImages } from "../../images/kept-image.ts";
import type { ModelMessage, ToolResultPart } from "../../providers/model.ts";
import { summaryFacts, type SummaryFacts } from "../../providers/summary-message.ts";
import type { HostStore } from "../../store/host-store.ts";
import type { Later } from "../../events/event-log.ts";
import type { EventEmitter, EventScope } from "../../events/event-emitter.ts";

/** What completing a log needs. */
export interface LogCompletion {
  readonly events: EventEmitter;
  readonly store: HostStore;
  /** Of the run that completes it. */
  readonly scope: EventScope;
  /** The session as far as its log is to be complete. */
  readonly head: SessionRecord;
}

/**
 * Completes a log when a run opens its session, since the log's end may be lost with a process or with the power: the
 * rows that it lacks, and the end of a run that never told its own.
 */
export function completeLog(completion: LogCompletion): Later<void> {
  const { len, baseLen, runTurn } = completion.head;
  if (len > baseLen || runTurn !== null) return complete(completion);
}

async function complete(completion: LogCompletion): Promise<void> {
  const { events, scope, head } = completion;
  await tellMissingRows(completion);
  const goesOn = head.runTurn === scope.run;
  if (head.runTurn === null || goesOn || (await hasEnded(events, head.id, head.runTurn))) return;
  const none = wireUsage(emptyUsage);
  events.emit({ ...scope, run: head.runTurn }, "run_finished", {
    status: "failed",
    error: "interrupted: its process ended before the run did",
    usage: { self: none, subtree: none, complete: false },
  });
}

/**
 * Tells every own row behind the newest one that was told, under the run that wrote it. A log that is complete costs
 * one row and a few events to see that.
 */
export async function tellMissingRows(completion: LogCompletion): Promise<void> {
  const { store, head } = completion;
  const next = await firstUntold(completion);
  if (next === head.len) return;
  const { nearestBefore } = await store.prefix(head.id, next);
  const keys = new Map<string, string>();
  for await (const row of store.read(head.id, { from: nearestBefore, to: head.len })) {
    for (const [index, call] of callsIn(row).entries())
      keys.set(call.toolCallId, callKeyOf(head.id, row.id, index));
    if (row.position >= next) tellRow(completion, row, keys);
  }
}

/** The position behind the newest row that was told and is still there. */
async function firstUntold({ events, store, head }: LogCompletion): Promise<number> {
  if (head.len === head.baseLen) return head.len;
  for await (const { data } of events.readBack(head.id)) {
    if (!("message_id" in data) || data.row >= head.len) continue;
    for await (const { id } of store.read(head.id, { from: data.row, to: data.row + 1 })) {
      if (id === data.message_id) return data.row + 1;
    }
  }
  return head.baseLen;
}

/** Whether the newest of a run's events is its last. */
async function hasEnded(events: EventEmitter, sessionId: string, runId: string): Promise<boolean> {
  for await (const { run, type } of events.readBack(sessionId))
    if (run === runId) return type === "run_finished";
  return false;
}

function callsIn({ body }: TranscriptRow<ModelMessage>): readonly StoredCall[] {
  return body.role === "assistant" ? callsOf(body) : [];
}

function tellRow(
  { events, scope }: LogCompletion,
  row: TranscriptRow<ModelMessage>,
  keys: ReadonlyMap<string, string>,
): void {
  const { body, turnId } = row;
  const { session, parent } = scope;
  const origin = { session, ...(turnId !== null && { run: turnId }), ...(parent && { parent }) };
  const place = { row: row.position, message_id: row.id };
  switch (body.role) {
    case "user":
    case "system": {
      const told = toldUser(body);
      const summary = summaryFacts(body);
      if (summary === undefined) return events.emit(origin, "user_message", { ...place, ...told });
      const facts = { ...place, ...compactionTold(summary), text: told.text };
      return events.emit(origin, "compaction_finished", facts);
    }
    case "assistant": {
      const calls = callsOf(body).map((call) => ({
        tool_call_id: call.toolCallId,
        tool_name: call.toolName,
      }));
      const images = toldImages(imagesIn(body));
      const facts = { text: textOf(body), calls, finish_reason: "other", ...(images && { images }) };
      return events.emit(origin, "assistant_message", { ...place, ...facts });
    }
    case "tool":
      for (const part of body.content)
        events.emit(origin, "tool_completed", { ...place, ...resultFacts(part, keys) });
  }
}

function compactionTold({ keepFrom, kept, tokensBefore, tokensAfter }: SummaryFacts) {
  return { summarised: keepFrom, kept, tokens_before: tokensBefore, tokens_after: tokensAfter };
}

function resultFacts({ toolCallId, toolName, output }: ToolResultPart, keys: ReadonlyMap<string, string>) {
  return {
    call_key: keys.get(toolCallId) ?? "",
    tool_call_id: toolCallId,
    tool_name: toolName,
    ...(toldResult({ output }) as { output: never }),
    is_error: output.type.startsWith("error"),
  };
}
