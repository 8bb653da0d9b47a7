import {
  addRound,
  callNamed,
  keepMessage,
  nextNumber,
  runOf,
  type EventOf,
  type FoldContext,
} from "./fold-context.ts";
import type { AttemptNode, NoteNode, RoundNode, RunNode } from "./model.ts";
import { beginning, saidIn } from "./short-text.ts";

/** Longest text that is shown while a model speaks. */
const MAX_LIVE_CHARS = 400;

/** What concerns a run, or its session. */
export type RunEvent = EventOf<
  | "run_started"
  | "run_finished"
  | "usage"
  | "retry"
  | "notice"
  | "mcp_server"
  | "error"
  | "user_message"
  | "assistant_delta"
  | "assistant_reasoning_delta"
  | "assistant_message"
  | "compaction_started"
  | "compaction_finished"
  | "compaction_failed"
  | "output_attempted"
  | "output_accepted"
  | "output_rejected"
  | "session_healed"
>;

/** Takes in what concerns a run, its rounds and its answers. */
export function foldRun(context: FoldContext, event: RunEvent): void {
  switch (event.type) {
    case "run_started":
      return startRun(context, event);
    case "run_finished":
      return endRun(runOf(context, event), context.at, event.data);
    case "usage":
      runOf(context, event).nextUsage = event.data.usage;
      return;
    case "user_message":
      return hearUser(context, event);
    case "assistant_delta": {
      const run = runOf(context, event);
      run.live = (run.live + event.data.text).slice(-MAX_LIVE_CHARS);
      return;
    }
    case "assistant_reasoning_delta":
      return;
    case "assistant_message":
      return hearModel(context, event);
    case "compaction_finished":
      keepMessage(context, event.data.row, event.seq);
      return addNote(context, event);
    case "output_attempted":
    case "output_accepted":
    case "output_rejected":
      return judge(context, event);
    default:
      return addNote(context, event);
  }
}

function startRun(context: FoldContext, event: EventOf<"run_started">): void {
  const { session } = context;
  const { agent, model, workspace } = event.data;
  session.agent = agent;
  session.model = model;
  session.workspace = workspace;
  session.parent ??= event.parent;
  runOf(context, event).agent = agent;
}

function endRun(run: RunNode, at: number, data: EventOf<"run_finished">["data"]): void {
  run.status = data.status;
  run.endedAt = at;
  run.usage = data.usage;
  run.approvalId = data.approval_id;
  run.why = data.error ?? data.stopped_by?.replaceAll("_", " ");
  run.live = "";
  if (data.rolled_back_to !== undefined) rollBack(run, data.rolled_back_to);
}

/** The places behind it are taken again by what comes next. */
function rollBack({ session: { messages } }: RunNode, count: number): void {
  for (const row of messages.keys()) if (row >= count) messages.delete(row);
}

function hearUser(context: FoldContext, event: EventOf<"user_message">): void {
  const run = runOf(context, event);
  keepMessage(context, event.data.row, event.seq);
  if (run.task === "") run.task = beginning(saidIn(event.data));
  run.askedAt = context.at;
}

function hearModel(context: FoldContext, event: EventOf<"assistant_message">): void {
  const { message_id: id, row, finish_reason: finish } = event.data;
  const run = runOf(context, event);
  keepMessage(context, row, event.seq);
  const round: RoundNode = {
    kind: "round",
    id,
    run,
    number: nextNumber(run),
    text: beginning(saidIn(event.data)),
    finish,
    row,
    seq: event.seq,
    usage: run.nextUsage,
    startedAt: Math.min(run.askedAt, context.at),
    endedAt: context.at,
    calls: [],
  };
  run.nextUsage = undefined;
  run.askedAt = context.at;
  run.live = "";
  if (context.session.rounds.has(id)) return;
  addRound(context, round);
}

function judge(
  context: FoldContext,
  event: EventOf<"output_attempted" | "output_accepted" | "output_rejected">,
): void {
  const run = runOf(context, event);
  const { attempt: number, tool_call_id: callId } = event.data;
  let attempt = run.attempts.find((each) => each.number === number);
  if (attempt === undefined) {
    const call = callId === undefined ? undefined : callNamed(run, callId);
    attempt = { number, run, call, verdict: "judged", events: [] } satisfies AttemptNode;
    run.attempts.push(attempt);
    if (call !== undefined) call.attempt = attempt;
  }
  if (event.seq !== undefined) attempt.events.push(event.seq);
  if (event.type === "output_accepted") attempt.verdict = "accepted";
  if (event.type === "output_rejected") attempt.verdict = event.data.verdict;
}

type NoteEvent = EventOf<
  | "retry"
  | "notice"
  | "mcp_server"
  | "error"
  | "session_healed"
  | "compaction_started"
  | "compaction_finished"
  | "compaction_failed"
>;

function addNote(context: FoldContext, event: NoteEvent): void {
  const { model, session, at } = context;
  const run = event.run === undefined ? undefined : runOf(context, event);
  const notes = run?.notes ?? session.notes;
  const note: NoteNode = {
    kind: "note",
    key: `${session.id}/${event.seq ?? `${event.type}${notes.length}`}`,
    type: event.type,
    at,
    text: beginning(noteInWords(event)),
    session,
    seq: event.seq,
  };
  notes.push(note);
  if (run !== undefined) model.nodes += 1;
}

function noteInWords(event: NoteEvent): string {
  switch (event.type) {
    case "retry":
      return `try ${event.data.attempt} again in ${event.data.delay_ms} ms: ${event.data.reason}`;
    case "notice":
      return event.data.text;
    case "mcp_server": {
      const { server, state, tools, reason } = event.data;
      return `MCP server ${server} is ${state}${reason === undefined ? `, ${tools.length} tools` : `: ${reason}`}`;
    }
    case "error":
      return `${event.data.code}: ${event.data.message}`;
    case "compaction_started":
      return `compacting ${event.data.tokens} tokens`;
    case "compaction_finished":
      return `compacted to ${event.data.tokens_after} tokens`;
    case "compaction_failed":
      return `not compacted: ${event.data.message}`;
    case "session_healed":
      return `interrupted and not repeated: ${event.data.calls.map(({ tool_name: name }) => name).join(", ")}`;
  }
}
