import { canonicalJson, isJsonObject, type JsonValue } from "@basis/core";
import { visibleText, type ApprovalRecord } from "@basis/approval";
import type { HostStore } from "../store/host-store.ts";
import { secrets } from "../secrets/secrets.ts";
import { fieldLines } from "./terminal-approver.ts";

/** A question as the command line tells of it. */
export interface ApprovalView {
  readonly approval: string;
  /** As stored; `expired` when nobody answered or used it in time. */
  readonly state: ApprovalRecord["state"] | "expired";
  readonly tool: string;
  readonly level: string;
  /** The path of the agent that asks: its parents before it, the root first. */
  readonly agent: string;
  readonly session: string | null;
  /** The member whose session goes on once it is answered: that of the root. */
  readonly member: string | null;
  readonly workspace: string | null;
  /** What is asked about: the preview, or the input where there is none. */
  readonly call: JsonValue;
  readonly digest: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly answered_by: string | null;
  readonly reason: string | null;
}

/** One question, with the member to go on with. */
export async function viewApproval(
  store: HostStore,
  record: ApprovalRecord,
  nowMs: number,
): Promise<ApprovalView> {
  const { approvalId, toolName, sideEffectLevel, agentId, sessionId, workspace, resolution } = record;
  return {
    approval: approvalId,
    state: stateAt(record, nowMs),
    tool: toolName,
    level: sideEffectLevel,
    agent: agentId,
    session: sessionId ?? null,
    member: sessionId === undefined ? null : await rootMember(store, sessionId),
    workspace: workspace ?? null,
    call: record.preview ?? record.input,
    digest: record.digest,
    created_at: new Date(record.createdAt).toISOString(),
    expires_at: new Date(record.expiresAt).toISOString(),
    answered_by: resolution?.by ?? null,
    reason: resolution?.reason ?? null,
  };
}

/** A refusal does not expire: its reason is told to the call whenever the session goes on. */
function stateAt({ state, expiresAt }: ApprovalRecord, nowMs: number): ApprovalView["state"] {
  return (state === "open" || state === "allowed") && nowMs >= expiresAt ? "expired" : state;
}

/** The member at the top of the sessions that were started for one another. */
async function rootMember(store: HostStore, sessionId: string): Promise<string | null> {
  let session = await store.head(sessionId);
  while (session.spawnedBy !== null) session = await store.head(session.spawnedBy.sessionId);
  return session.binding?.member ?? null;
}

/** Everything that a person has to see of a question, one fact a line. */
export function approvalLines(view: ApprovalView): readonly string[] {
  const { approval, state, tool, level, agent, member, workspace, call, digest } = view;
  return [
    `approval   ${approval}  ${state}`,
    `agent      ${visibleText(agent)}`,
    `tool       ${visibleText(tool)} (${level})`,
    ...fieldLines(call),
    `workspace  ${visibleText(workspace ?? "-")}`,
    `session    ${visibleText(member ?? "-")}`,
    `digest     ${digest}`,
    `asked      ${view.created_at.slice(0, 19)}Z, until ${view.expires_at.slice(0, 19)}Z`,
    ...(view.answered_by === null ? [] : [`answered   by ${visibleText(view.answered_by)}${because(view)}`]),
  ];
}

function because({ reason }: ApprovalView): string {
  return reason === null ? "" : `: ${visibleText(reason)}`;
}

/** The call on one line. */
export function callSummary({ call: asked }: ApprovalView): string {
  const call = secrets.redactJson(asked);
  const text = isJsonObject(call)
    ? Object.entries(call).map(([key, value]) => `${key}=${asText(value)}`)
    : [asText(call)];
  return visibleText(text.join(" "), { maxChars: 60 });
}

function asText(value: JsonValue): string {
  return typeof value === "string" ? value : canonicalJson(value);
}
