import type { BasisEvent, EventType } from "../../src/events/event-schema.ts";

/** What a line or a message holds: an event, one of a type that this page does not know, or neither. */
export type Told =
  | { readonly kind: "event"; readonly event: BasisEvent }
  | { readonly kind: "unknown"; readonly event: UnknownEvent }
  | { readonly kind: "broken"; readonly problem: string };

/** An event of a newer host: its place in the log is known, what it says is not. */
export interface UnknownEvent {
  readonly session: string;
  readonly seq?: number | undefined;
  readonly ts: string;
  readonly type: string;
}

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string";
const number: Check = (value) => typeof value === "number" && Number.isFinite(value);
const flag: Check = (value) => typeof value === "boolean";
const json: Check = (value) => value !== undefined;
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
/** The table is read once: a log has thousands of events. */
function fields(checks: Readonly<Record<string, Check>>): Check {
  const entries = Object.entries(checks);
  return (value) => isObject(value) && entries.every(([name, check]) => check(own(value, name)));
}

const usage = fields({
  input_tokens: number,
  output_tokens: number,
  cached_input_tokens: number,
  reasoning_tokens: number,
});
const nodeUsage = fields({ self: usage, subtree: usage, complete: flag });
const model = fields({ provider: text, id: text });
const call = { call_key: text, tool_call_id: text, tool_name: text };
const calls = list(fields({ tool_call_id: text, tool_name: text }));
const place = { row: number, message_id: text };
const fork = { operation_id: text, source_session: text, fork_session: text, member: text };
const attempt = { attempt: number, tool_call_id: maybe(text) };
const participants = list(
  fields({
    who: text,
    decision: text,
    ms: number,
    failure: maybe(text),
    shadow: maybe(flag),
    reason: maybe(text),
    recheck: maybe(flag),
  }),
);
const notAsked = list(fields({ who: text, why: text }));

/** What the page reads of each type. More may stand there: a newer host tells more. */
const shapes: Readonly<Record<EventType, Check>> = {
  run_started: fields({ version: text, workspace: text, agent: text, model }),
  run_finished: fields({
    status: text,
    stopped_by: maybe(text),
    error: maybe(text),
    approval_id: maybe(text),
    rolled_back_to: maybe(number),
    output_status: maybe(text),
    usage: nodeUsage,
  }),
  usage: fields({ round: number, usage }),
  retry: fields({ attempt: number, delay_ms: number, reason: text }),
  notice: fields({ text }),
  mcp_server: fields({ server: text, state: text, tools: list(text), reason: maybe(text) }),
  error: fields({ call_key: maybe(text), code: text, message: text }),
  user_message: fields({ ...place, text, images: maybe(list(fields({ media_type: text }))) }),
  assistant_delta: fields({ text }),
  assistant_reasoning_delta: fields({ text }),
  assistant_message: fields({ ...place, text, calls, finish_reason: text }),
  compaction_started: fields({ tokens: number }),
  compaction_finished: fields({ ...place, text, tokens_after: number }),
  compaction_failed: fields({ message: text }),
  tool_queued: fields({ ...call, input: json }),
  tool_started: fields({ ...call, input: json, digest: text }),
  tool_progress: fields({ ...call, text }),
  tool_completed: fields({ ...call, ...place, output: json, is_error: flag }),
  hook_decided: fields({
    ...call,
    event: text,
    decision: text,
    reason: maybe(text),
    participants,
    not_asked: maybe(notAsked),
  }),
  hook_failed: fields({ ...call, who: text, failure: text }),
  permission_requested: fields({ ...call, digest: text, level: text, preview: json }),
  permission_resolved: fields({
    ...call,
    decision: text,
    by: maybe(text),
    reason: maybe(text),
    approval_id: maybe(text),
  }),
  child_previewed: fields({ ...call, preview: json, plan_digest: text, dropped: list(text) }),
  child_started: fields({ ...call, child_session: text, agent: text, model }),
  child_finished: fields({ ...call, child_session: text, agent: text, status: text, usage: nodeUsage }),
  output_attempted: fields({ ...attempt, candidate: json }),
  output_accepted: fields({ ...attempt, candidate: json }),
  output_rejected: fields({ ...attempt, verdict: text, feedback: json, last: flag }),
  fork_committed: fields({ ...fork, message_count: number, prefix_digest: text }),
  fork_provisioned: fields(fork),
  fork_failed: fields({
    ...fork,
    operation_id: maybe(text),
    fork_session: maybe(text),
    kind: text,
    message: text,
    committed: flag,
  }),
  fork_recovered: fields(fork),
  session_healed: fields({ calls }),
};

const byType: ReadonlyMap<string, Check> = new Map(Object.entries(shapes));
const envelope: readonly (readonly [string, Check])[] = Object.entries<Check>({
  session: text,
  type: text,
  ts: (value) => typeof value === "string" && !Number.isNaN(Date.parse(value)),
  seq: maybe((value) => Number.isSafeInteger(value) && (value as number) > 0),
  run: maybe(text),
  parent: maybe(fields({ session: text, run: text, call_id: text })),
});

/** Reads one line of a log. Whatever it is, nothing is thrown. */
export function readLine(line: string): Told {
  try {
    return readValue(JSON.parse(line));
  } catch {
    return { kind: "broken", problem: "is no JSON: the log may be cut off here" };
  }
}

/** Reads what was parsed already. */
export function readValue(value: unknown): Told {
  if (!isObject(value)) return { kind: "broken", problem: "is no event" };
  if (value["v"] !== 1) return { kind: "broken", problem: "is no event of version 1" };
  const wrong = envelope.find(([name, check]) => !check(own(value, name)));
  if (wrong !== undefined) return { kind: "broken", problem: `has no usable ${wrong[0]}` };
  const event = value as unknown as BasisEvent;
  const shape = byType.get(event.type);
  if (shape === undefined) return { kind: "unknown", event };
  if (!shape(event.data))
    return { kind: "broken", problem: `has a ${event.type} that lacks what belongs to it` };
  return { kind: "event", event };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function own(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
