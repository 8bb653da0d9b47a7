import type { BasisEvent, EventType } from "../../src/events/event-schema.ts";

/** What a line or a message holds: an event, one of a type that this page does not know, or neither. */
export type Told =
  | { readonly kind: "event"; readonly event: BasisEvent }
  | { readonly kind: "unknown"; readonly event: UnknownEvent }
  /** `line`: which of a file. */
  | { readonly kind: "broken"; readonly problem: string; readonly line?: number | undefined };

/** An event of a newer host: its place in the log is known, what it says is not. */
export interface UnknownEvent {
  readonly session: string;
  readonly seq?: number | undefined;
  readonly ts: string;
  readonly type: string;
}

type Check = (value: unknown) => boolean;

const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

/**
 * A check of an object's fields, given as words: a name with `?` may be absent, and what stands behind `:` is what it
 * has to be; without that it has to be a text. More fields may stand there: a newer host tells more.
 */
function fields(words: string): Check {
  const checks = words.split(" ").map((word) => {
    const [, name, optional, kind] = /^(\w+)(\?)?:?(.*)$/.exec(word)!;
    const check = kinds[(kind || "text") as keyof typeof kinds];
    return (given: Readonly<Record<string, unknown>>): boolean => {
      const value = own(given, name!);
      return (optional !== undefined && value === undefined) || check(value);
    };
  });
  return (value) => isObject(value) && checks.every((check) => check(value));
}

const kinds = {
  text: ((value) => typeof value === "string") as Check,
  number: Number.isFinite,
  flag: ((value) => typeof value === "boolean") as Check,
  json: ((value) => value !== undefined) as Check,
  get texts() {
    return list(kinds.text);
  },
  get tokens() {
    return fields(
      "input_tokens:number output_tokens:number cached_input_tokens:number reasoning_tokens:number",
    );
  },
  get usage() {
    return fields("self:tokens subtree:tokens complete:flag");
  },
  get model() {
    return fields("provider id");
  },
  get calls() {
    return list(fields("tool_call_id tool_name"));
  },
  get images() {
    return list(fields("media_type name?"));
  },
  get asked() {
    return list(fields("who decision ms:number failure? shadow?:flag reason? recheck?:flag"));
  },
  get passed() {
    return list(fields("who why"));
  },
  time: ((value) => typeof value === "string" && !Number.isNaN(Date.parse(value))) as Check,
  seq: ((value) => Number.isSafeInteger(value) && (value as number) > 0) as Check,
  get parent() {
    return fields("session run call_id");
  },
};

const call = "call_key tool_call_id tool_name";
const place = "row:number message_id";
const fork = "operation_id source_session fork_session member";
const attempt = "attempt:number tool_call_id?";

/** What the page reads of each type. */
const shapes: Readonly<Record<EventType, string>> = {
  run_started: "version workspace agent model:model",
  run_finished: "status stopped_by? error? approval_id? rolled_back_to?:number output_status? usage:usage",
  usage: "round:number usage:tokens",
  retry: "attempt:number delay_ms:number reason",
  notice: "text",
  mcp_server: "server state tools:texts reason?",
  error: "call_key? code message",
  user_message: `${place} text images?:images`,
  assistant_delta: "text",
  assistant_reasoning_delta: "text",
  assistant_message: `${place} text calls:calls finish_reason images?:images`,
  compaction_started: "tokens:number",
  compaction_finished: `${place} text tokens_after:number`,
  compaction_failed: "message",
  tool_queued: `${call} input:json`,
  tool_started: `${call} input:json digest`,
  tool_progress: `${call} text`,
  tool_completed: `${call} ${place} output:json is_error:flag images?:images`,
  hook_decided: `${call} event decision reason? participants:asked not_asked?:passed`,
  hook_failed: `${call} who failure`,
  permission_requested: `${call} digest level preview:json`,
  permission_resolved: `${call} decision by? reason? approval_id?`,
  child_previewed: `${call} preview:json plan_digest dropped:texts`,
  child_started: `${call} child_session agent model:model`,
  child_finished: `${call} child_session agent status usage:usage`,
  output_attempted: `${attempt} candidate:json`,
  output_accepted: `${attempt} candidate:json`,
  output_rejected: `${attempt} verdict feedback:json last:flag`,
  fork_committed: `${fork} message_count:number prefix_digest`,
  fork_provisioned: fork,
  fork_failed: "operation_id? source_session fork_session? member kind message committed:flag",
  fork_recovered: fork,
  session_healed: "calls:calls",
};

/** The words are read once: a log has thousands of events. */
const byType = new Map(Object.entries(shapes).map(([type, words]) => [type, fields(words)]));
const envelope = ["session", "type", "ts:time", "seq?:seq", "run?", "parent?:parent"].map(
  (word) => [word.split(/\W/)[0], fields(word)] as const,
);

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
  const wrong = envelope.find(([, check]) => !check(value));
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
