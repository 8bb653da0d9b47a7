import { z } from "zod";
import { compactionData } from "./compaction-data.ts";
import { outputData } from "./output-data.ts";
import { place } from "./place-schema.ts";
import { nodeUsage, usage } from "./usage-schema.ts";

const model = z.strictObject({ provider: z.string(), id: z.string() });
const call = { call_key: z.string(), tool_call_id: z.string(), tool_name: z.string() };
const json = z.json();

const participant = z.strictObject({
  who: z.string(),
  decision: z.string(),
  ms: z.number(),
  failure: z.string().optional(),
  shadow: z.boolean().optional(),
  reason: z.string().optional(),
  /** Asked once more, about the final input, since one of lower rank had changed it. */
  recheck: z.boolean().optional(),
  /** What it made of the input, where it decided `modify`. */
  input: json.optional(),
});

/** A participant that was not asked: its filter left the call out, or the chain ended before its turn. */
const notAsked = z.strictObject({ who: z.string(), why: z.enum(["filtered", "ended"]) });

const runData = {
  run_started: z.strictObject({
    schema: z.literal(1),
    version: z.string(),
    workspace: z.string(),
    agent: z.string(),
    model,
    context_files: z.array(z.strictObject({ path: z.string(), digest: z.string() })),
    agents: z.array(z.string()),
    mcp_servers: z.array(z.string()),
    /** The run's span in the W3C form, where its host is traced. */
    traceparent: z.string().optional(),
  }),
  run_finished: z.strictObject({
    status: z.enum(["completed", "stopped", "cancelled", "parked", "failed"]),
    stopped_by: z.string().optional(),
    error: z.string().optional(),
    /** The approval that a parked run waits for. */
    approval_id: z.string().optional(),
    /** The transcript's length after a cancelled turn was rolled back; a notice may follow there. */
    rolled_back_to: z.number().optional(),
    /** Of a typed run: how its answer ended. */
    output_status: z.string().optional(),
    usage: nodeUsage,
  }),
  usage: z.strictObject({ round: z.number(), usage }),
  retry: z.strictObject({ attempt: z.number(), delay_ms: z.number(), reason: z.string() }),
  /** `code` says what kind it is, for those that a program may act on. */
  notice: z.strictObject({
    text: z.string(),
    code: z.enum(["taken_over", "plan_mismatch", "not_reloaded"]).optional(),
  }),
  /** How an MCP server stands when a run begins, and whenever that changes while it runs. */
  mcp_server: z.strictObject({
    server: z.string(),
    state: z.enum(["ready", "late", "lost", "failed"]),
    /** As a model calls them, from the next turn on. */
    tools: z.array(z.string()),
    reason: z.string().optional(),
    /** Tools that are defined otherwise than before, or gone. */
    changed: z.array(z.string()).optional(),
  }),
  /** With the three fields of a call when a tool failed for a reason that its model is not shown. */
  error: z.strictObject({
    call_key: z.string().optional(),
    tool_call_id: z.string().optional(),
    tool_name: z.string().optional(),
    code: z.string(),
    message: z.string(),
  }),
};

/** Images of a message, in order. `digest` is that of the blob that has the bytes; empty where the message itself has them. */
const images = z
  .array(z.strictObject({ media_type: z.string(), digest: z.string(), name: z.string().optional() }))
  .optional();

const messageData = {
  user_message: z.strictObject({ ...place, text: z.string(), images }),
  assistant_delta: z.strictObject({ text: z.string() }),
  assistant_reasoning_delta: z.strictObject({ text: z.string() }),
  assistant_message: z.strictObject({
    ...place,
    text: z.string(),
    calls: z.array(z.strictObject({ tool_call_id: z.string(), tool_name: z.string() })),
    finish_reason: z.string(),
    images,
  }),
};

const toolData = {
  tool_queued: z.strictObject({ ...call, input: json }),
  tool_started: z.strictObject({ ...call, input: json, digest: z.string() }),
  tool_progress: z.strictObject({ ...call, text: z.string() }),
  tool_completed: z.strictObject({ ...call, ...place, output: json, is_error: z.boolean(), images }),
  hook_decided: z.strictObject({
    ...call,
    event: z.enum(["pre_tool_use", "post_tool_use"]),
    decision: z.enum(["allow", "deny", "modify", "replace"]),
    reason: z.string().optional(),
    participants: z.array(participant),
    not_asked: z.array(notAsked).optional(),
  }),
  hook_failed: z.strictObject({ ...call, who: z.string(), failure: z.string() }),
  permission_requested: z.strictObject({
    ...call,
    digest: z.string(),
    level: z.enum(["none", "local_state", "process", "external"]),
    preview: json,
  }),
  permission_resolved: z.strictObject({
    ...call,
    decision: z.enum(["allow", "deny", "parked", "edited"]),
    by: z.string().optional(),
    reason: z.string().optional(),
    approval_id: z.string().optional(),
  }),
};

const childData = {
  child_previewed: z.strictObject({
    ...call,
    preview: json,
    plan_digest: z.string(),
    /** Asked-for names that the child does not get. */
    dropped: z.array(z.string()),
    /** Asked-for names that no tool has. */
    unknown: z.array(z.string()).optional(),
  }),
  child_started: z.strictObject({ ...call, child_session: z.string(), agent: z.string(), model }),
  child_finished: z.strictObject({
    ...call,
    child_session: z.string(),
    agent: z.string(),
    status: z.string(),
    usage: nodeUsage,
  }),
};

const fork = {
  operation_id: z.string(),
  source_session: z.string(),
  fork_session: z.string(),
  member: z.string(),
};
const forkData = {
  fork_committed: z.strictObject({ ...fork, message_count: z.number(), prefix_digest: z.string() }),
  fork_provisioned: z.strictObject(fork),
  fork_failed: z.strictObject({
    ...fork,
    operation_id: z.string().optional(),
    fork_session: z.string().optional(),
    kind: z.string(),
    message: z.string(),
    committed: z.boolean(),
  }),
  fork_recovered: z.strictObject(fork),
  session_healed: z.strictObject({
    calls: z.array(z.strictObject({ tool_call_id: z.string(), tool_name: z.string() })),
  }),
};

type EventSchemas = typeof runData &
  typeof messageData &
  typeof compactionData &
  typeof toolData &
  typeof childData &
  typeof outputData &
  typeof forkData;

/** Every event type with the schema of its data. */
const dataByType: EventSchemas = {
  ...runData,
  ...messageData,
  ...compactionData,
  ...toolData,
  ...childData,
  ...outputData,
  ...forkData,
};

/** The name of an event. */
export type EventType = keyof EventSchemas;

/** The data of one event type, as it stands on the wire. */
export type EventData<T extends EventType> = z.infer<EventSchemas[T]>;

/** Events that are sent live only: they carry no number and are not kept. */
export type LiveEventType = "assistant_delta" | "assistant_reasoning_delta" | "tool_progress";

const envelope = <T extends EventType>(type: T) =>
  z.strictObject({
    v: z.literal(1),
    seq: z.number().int().positive().optional(),
    ts: z.iso.datetime(),
    session: z.string(),
    run: z.string().optional(),
    parent: z.strictObject({ session: z.string(), run: z.string(), call_id: z.string() }).optional(),
    type: z.literal(type),
    data: dataByType[type],
  });

const types = Object.keys(dataByType) as [EventType, ...EventType[]];

/**
 * One line of an event log. `seq` counts from 1 without a gap in each session; live deltas have none.
 * The field names of `data` are those of the wire.
 */
export const eventSchema: z.ZodType<BasisEvent> = z.discriminatedUnion(
  "type",
  types.map((type) => envelope(type)) as never,
) as never;

/** An event as it is stored, streamed and replayed. */
export type BasisEvent = {
  [T in EventType]: {
    readonly v: 1;
    readonly seq?: number | undefined;
    readonly ts: string;
    readonly session: string;
    readonly run?: string | undefined;
    readonly parent?:
      | { readonly session: string; readonly run: string; readonly call_id: string }
      | undefined;
    readonly type: T;
    readonly data: EventData<T>;
  };
}[EventType];
