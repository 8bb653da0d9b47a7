import type { BasisEvent, EventData, EventType } from "../../../src/events/event-schema.ts";

const usage = { input_tokens: 10, output_tokens: 5, cached_input_tokens: 0, reasoning_tokens: 0 };
const nodeUsage = { self: usage, subtree: usage, complete: true };
const model = { provider: "scripted", id: "script" };

/** What tells the events of one call, message or fork from those of another. */
export interface Marks {
  readonly session: string;
  readonly run: string;
  /** Of the message, the call and the fork. */
  readonly number: number;
}

/** The data of an event of each type. */
export function sampleData({ session, number }: Marks): { readonly [T in EventType]: EventData<T> } {
  const call = { call_key: `${session}:m${number}:0`, tool_call_id: `c${number}`, tool_name: "run" };
  const place = { row: number, message_id: `m${number}` };
  const fork = {
    operation_id: `o${number}`,
    source_session: session,
    fork_session: `${session}-${number}`,
    member: `member${number}`,
  };
  const attempt = { attempt: number, tool_call_id: `c${number}` };
  return {
    run_started: {
      schema: 1,
      version: "0",
      workspace: "/w",
      agent: "main",
      model,
      context_files: [],
      agents: [],
      mcp_servers: [],
    },
    run_finished: { status: "completed", usage: nodeUsage },
    usage: { round: 1, usage },
    retry: { attempt: 1, delay_ms: 5, reason: "busy" },
    notice: { text: "something" },
    mcp_server: { server: "files", state: "ready", tools: [] },
    error: { code: "broken", message: "it broke" },
    user_message: { ...place, text: "do it" },
    assistant_delta: { text: "I" },
    assistant_reasoning_delta: { text: "hm" },
    assistant_message: {
      ...place,
      text: "I do it",
      calls: [{ tool_call_id: `c${number}`, tool_name: "run" }],
      finish_reason: "tool_calls",
    },
    compaction_started: { trigger: "asked", messages: number, tokens: number },
    compaction_finished: {
      ...place,
      summarised: number,
      kept: 1,
      tokens_before: 100,
      tokens_after: 10,
      usage,
      text: "what was before",
    },
    compaction_failed: { trigger: "threshold", code: "summary_empty", message: "it was empty", usage },
    tool_queued: { ...call, input: { argv: ["ls"] } },
    tool_started: { ...call, input: { argv: ["ls", "-l"] }, digest: "sha256:1" },
    tool_progress: { ...call, text: "half" },
    tool_completed: { ...call, row: number + 1, message_id: `r${number}`, output: "done", is_error: false },
    hook_decided: {
      ...call,
      event: "pre_tool_use",
      decision: "modify",
      participants: [
        { who: "hook 'a'", decision: "modify", ms: 3, reason: "narrower", input: { argv: ["ls", "-l"] } },
        { who: "interceptor 'b'", decision: "broken", ms: 1, failure: "away", shadow: true, recheck: true },
      ],
      not_asked: [{ who: "hook 'c'", why: "ended" }],
    },
    hook_failed: { ...call, who: "hook 'a'", failure: "exited with code 1" },
    permission_requested: { ...call, digest: "sha256:1", level: "process", preview: {} },
    permission_resolved: { ...call, decision: "parked", approval_id: `a${number}` },
    child_previewed: { ...call, preview: { body: "task" }, plan_digest: "sha256:2", dropped: [] },
    child_started: { ...call, child_session: `${session}-child${number}`, agent: "child", model },
    child_finished: {
      ...call,
      child_session: `${session}-child${number}`,
      agent: "child",
      status: "completed",
      usage: nodeUsage,
    },
    output_attempted: { ...attempt, candidate: {} },
    output_accepted: { ...attempt, candidate: {} },
    output_rejected: { ...attempt, verdict: "mismatch", feedback: "no", last: false },
    fork_committed: { ...fork, message_count: number, prefix_digest: "sha256:3" },
    fork_provisioned: fork,
    fork_failed: { ...fork, kind: "provision", message: "away", committed: true },
    fork_recovered: fork,
    session_healed: { calls: [{ tool_call_id: `c${number}`, tool_name: "run" }] },
  };
}

/** Every type of event. */
export const eventTypes: readonly EventType[] = Object.keys(
  sampleData({ session: "", run: "", number: 0 }),
) as EventType[];

/** An event of a type, as it stands in a log. */
export function sampleEvent(type: EventType, marks: Marks, more: Partial<BasisEvent> = {}): BasisEvent {
  const { session, run } = marks;
  const ts = "2026-01-01T00:00:00.000Z";
  return { v: 1, ts, session, run, type, data: sampleData(marks)[type], ...more } as BasisEvent;
}
