import { addRound, keepMessage, nextNumber, runOf, type EventOf, type FoldContext } from "./fold-context.ts";
import type { CallNode, Permission, RoundNode } from "./model.ts";
import { inputInWords } from "./short-text.ts";

type CallType =
  | "tool_queued"
  | "tool_started"
  | "tool_completed"
  | "hook_decided"
  | "hook_failed"
  | "permission_requested"
  | "permission_resolved"
  | "child_previewed"
  | "child_started"
  | "child_finished";
type CallEvent = EventOf<CallType>;
type CallFold<T extends CallType> = (call: CallNode, event: EventOf<T>, context: FoldContext) => void;

const folds: { readonly [T in CallType]?: CallFold<T> } = {
  tool_queued: (call, { data }) => void (call.summary = inputInWords(data.input)),
  tool_started(call, { data }, { at }) {
    call.executedAt ??= at;
    call.summary = inputInWords(data.input);
  },
  tool_completed(call, event, context) {
    keepMessage(context, event.data.row, event.seq);
    call.endedAt = context.at;
    call.isError = event.data.is_error;
    runOf(context, event).askedAt = context.at;
  },
  hook_decided(call, { data: { event, decision } }) {
    // Judged again, as after an edit or a wait, it stays one whose input was changed.
    if (event === "pre_tool_use") call.pre = decision === "allow" ? (call.pre ?? decision) : decision;
    else call.post = decision;
  },
  hook_failed: (call) => void (call.broken = true),
  permission_requested(call, { data }) {
    permissionOf(call).level = data.level;
    permissionOf(call).state = "asked";
  },
  permission_resolved: (call, { data }) => resolve(permissionOf(call), data),
  child_started: (call, { data }) => void (call.childSession = data.child_session),
};

/** Takes in what concerns one call. */
export function foldCall(context: FoldContext, event: CallEvent | EventOf<"tool_progress">): void {
  if (event.type === "tool_progress") return;
  const call = callOf(context, event);
  if (event.seq !== undefined) call.events.push(event.seq);
  const foldOne = folds[event.type] as CallFold<CallType> | undefined;
  foldOne?.(call, event, context);
}

function callOf(context: FoldContext, event: CallEvent): CallNode {
  const { model, session, at } = context;
  const { call_key: key, tool_call_id: id, tool_name: tool } = event.data;
  const known = session.calls.get(key);
  if (known !== undefined) return known;
  const round = roundOf(context, event);
  const call: CallNode = {
    kind: "call",
    key,
    id,
    tool,
    round,
    summary: "",
    startedAt: at,
    endedAt: undefined,
    executedAt: undefined,
    isError: false,
    pre: undefined,
    post: undefined,
    broken: false,
    permission: undefined,
    childSession: undefined,
    attempt: undefined,
    events: [],
  };
  session.calls.set(key, call);
  model.nodes += 1;
  round.calls.push(call);
  return call;
}

/** The round that made a call: its key names the message. Where that was not read, one stands in for it. */
function roundOf(context: FoldContext, event: CallEvent): RoundNode {
  const { session, at } = context;
  const message = event.data.call_key.split(":").at(-2);
  const known = message === undefined ? undefined : session.rounds.get(message);
  if (known !== undefined) return known;
  const run = runOf(context, event);
  const id = message ?? `${run.id}:unread`;
  const round: RoundNode = {
    kind: "round",
    id,
    run,
    number: nextNumber(run),
    text: "",
    finish: "",
    row: undefined,
    seq: event.seq,
    usage: undefined,
    startedAt: at,
    endedAt: at,
    calls: [],
  };
  addRound(context, round);
  return round;
}

function permissionOf(call: CallNode): Permission {
  return (call.permission ??= {
    level: undefined,
    state: "asked",
    by: undefined,
    reason: undefined,
    approvalId: undefined,
  });
}

function resolve(permission: Permission, data: EventOf<"permission_resolved">["data"]): void {
  permission.state = data.decision;
  permission.by = data.by;
  permission.reason = data.reason;
  permission.approvalId = data.approval_id ?? permission.approvalId;
}
