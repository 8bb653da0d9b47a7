import type { ApprovalRecord } from "@basis/approval";
import type { SessionRecord } from "@mobkit/session";
import { textOutcome, type WaitingChild } from "../../tools/tool.ts";
import type { Later } from "../../events/event-log.ts";
import type { EventEmitter } from "../../events/event-emitter.ts";
import type { Intent } from "../../store/host-ledger.ts";
import type { HostStore } from "../../store/host-store.ts";
import { callKeyOf, eventCall } from "../calls/queued-call.ts";
import { tellLostChild, type LostChildPorts } from "../children/lost-child.ts";
import type { RunContext } from "../run/run-context.ts";
import { storedMessage } from "../transcript/storable.ts";
import { callsOf, toolMessage, type StoredCall } from "../transcript/tool-message.ts";
import { waitingChildrenOf } from "../children/find-waiting-child.ts";
import { readWaitingChildren } from "../children/waiting-child.ts";

/** Where healing looks. */
export interface HealPorts {
  readonly store: HostStore;
  readonly events: Pick<EventEmitter, "readBack">;
}

/** The run whose session is healed. */
export type HealedRun = Pick<RunContext, "scope" | "agent" | "writer" | "ledger" | "clock" | "emit">;

/** A call that waits for its approval, so that its turn cannot go on yet. */
export interface ParkedCall extends StoredCall {
  readonly callKey: string;
  readonly approvalId: string;
  /** The approval is asked for by this child of the call. */
  readonly waiting?: WaitingChild | undefined;
}

/** The texts of results that nobody will ever know, and of those that nobody answered in time. */
const UNKNOWN = "interrupted: outcome unknown";
const NOT_STARTED = "interrupted: it was not started";
const EXPIRED = "Tool execution denied: the approval expired before the call was run";

/**
 * Gives every call without a result one that says what is known, so that the transcript can go on: a call whose
 * intent was recorded may have run, and so may one that was imported; one whose approval expired is denied, any other
 * was not started. A call with a live approval, or whose child waits, stays open and is answered here. History is not rewritten and nothing
 * is run again.
 */
export function healSession(run: HealedRun, ports: HealPorts): Later<readonly ParkedCall[]> {
  return run.writer.settled ? NONE : healOpenCalls(run, ports);
}

const NONE: readonly ParkedCall[] = [];

async function healOpenCalls(run: HealedRun, ports: HealPorts): Promise<readonly ParkedCall[]> {
  const { ledger, writer, emit } = run;
  const { store, events } = ports;
  const sessionId = run.scope.session;
  const now = run.clock.now();
  const session = await store.head(sessionId);
  if (session.openCalls.length === 0) return [];
  const open = await findOpenCalls(store, session);
  const asked = newestByCall(await ledger.approvals.list({ sessionId }));
  const started = new Map((await ledger.intentsOf(sessionId)).map((intent) => [intent.callKey, intent]));
  const children = await readWaitingChildren(store, sessionId);
  const findUnkept = waitingChildrenOf({ store, ledger, sessionId, agentId: run.agent.agentId });
  const waitingFor = async ({ callKey, imported }: OpenCall): Promise<WaitingChild | undefined> => {
    const intent = started.get(callKey);
    return imported ? undefined : (children.get(callKey) ?? (intent && findUnkept(intent)));
  };
  const parked: ParkedCall[] = [];
  const lost: OpenCall[] = [];
  for (const call of open) {
    const waiting = await waitingFor(call);
    if (waiting !== undefined) {
      parked.push({ ...call, approvalId: waiting.approvalId, waiting });
      continue;
    }
    const approval = asked.get(call.callKey);
    if (approval !== undefined && isWaiting(approval, now)) {
      parked.push({ ...call, approvalId: approval.approvalId });
      continue;
    }
    const intent = call.imported ? undefined : started.get(call.callKey);
    const text = intent
      ? await unknownText({ store, ledger, events }, intent)
      : lostText(call.imported, approval);
    const outcome = textOutcome(text, true);
    const { from, ids } = await writer.append([storedMessage(toolMessage(call, outcome))]);
    const place = { row: from, message_id: ids[0]! };
    emit("tool_completed", { ...eventCall(call), ...place, output: text, is_error: true });
    lost.push(call);
  }
  if (lost.length > 0) {
    const calls = lost.map(({ toolCallId, toolName }) => ({ tool_call_id: toolCallId, tool_name: toolName }));
    emit("session_healed", { calls });
  }
  return parked;
}

interface OpenCall extends StoredCall {
  readonly callKey: string;
  /** It came with an imported session: whether it ran is recorded elsewhere, if at all. */
  readonly imported: boolean;
}

async function findOpenCalls(
  store: HostStore,
  { id: sessionId, settledLen, openCalls }: SessionRecord,
): Promise<readonly OpenCall[]> {
  const found: OpenCall[] = [];
  for await (const { body, id, rev } of store.read(sessionId, { from: settledLen })) {
    if (body.role !== "assistant") continue;
    const imported = rev === 0;
    const calls = callsOf(body).map((call, index) => ({
      ...call,
      callKey: callKeyOf(sessionId, id, index),
      imported,
    }));
    found.push(...calls.filter((call) => openCalls.includes(`call:${call.toolCallId}`)));
  }
  return found;
}

function newestByCall(records: readonly ApprovalRecord[]): ReadonlyMap<string, ApprovalRecord> {
  return new Map(records.map((record) => [record.callKey, record]));
}

/** A refusal waits too, however old: its reason is given to the call when the session goes on. */
function isWaiting({ state, expiresAt }: ApprovalRecord, now: number): boolean {
  return state === "denied" || (state !== "redeemed" && now < expiresAt);
}

/** Of a delegation more is known: a session of its own tells how far it came. */
async function unknownText(ports: LostChildPorts, intent: Intent): Promise<string> {
  const child = await tellLostChild(ports, intent);
  return child === undefined ? UNKNOWN : `${UNKNOWN}; ${child}`;
}

function lostText(mayHaveRun: boolean, approval: ApprovalRecord | undefined): string {
  if (mayHaveRun) return UNKNOWN;
  return approval === undefined ? NOT_STARTED : EXPIRED;
}
