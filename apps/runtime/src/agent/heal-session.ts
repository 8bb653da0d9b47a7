import type { SessionRecord } from "@mobkit/session";
import type { ApprovalStore } from "@basis/approval";
import { textOutcome } from "../tools/tool.ts";
import type { HostLedger } from "../store/host-ledger.ts";
import type { HostStore } from "../store/host-store.ts";
import type { Emit } from "./run-context.ts";
import type { SessionWriter } from "./session-writer.ts";
import { callsOf, toolMessage, type StoredCall } from "./tool-message.ts";

/** Where healing looks and writes. */
export interface HealPorts {
  readonly store: HostStore;
  readonly ledger: HostLedger<never>;
  readonly writer: SessionWriter;
  readonly now: number;
  readonly emit: Emit;
}

/** A call that waits for its approval, so that its turn cannot go on yet. */
export interface ParkedCall extends StoredCall {
  readonly callKey: string;
  readonly approvalId: string;
}

/** The text of a result that nobody will ever know. */
const UNKNOWN = "interrupted: outcome unknown";
const NOT_STARTED = "interrupted: it was not started";

/**
 * Gives every call without a result one that says what is known, so that the transcript can go on: a call whose
 * intent was recorded may have run, any other did not. A call with a live approval stays open and is answered here.
 * History is not rewritten and nothing is run again.
 */
export async function healSession(sessionId: string, ports: HealPorts): Promise<readonly ParkedCall[]> {
  const { store, ledger, writer, emit, now } = ports;
  const session = await store.head(sessionId);
  if (session.openCalls.length === 0) return [];
  const open = await findOpenCalls(store, session);
  const parked = await parkedCalls(ledger.approvals, sessionId, { open, now });
  const waiting = new Set(parked.map((call) => call.callKey));
  const lost = open.filter((call) => !waiting.has(call.callKey));
  if (lost.length === 0) return parked;
  const started = new Set((await ledger.intentsOf(sessionId)).map((intent) => intent.callKey));
  for (const call of lost) {
    const text = started.has(call.callKey) ? UNKNOWN : NOT_STARTED;
    await writer.append([toolMessage(call, textOutcome(text, true))]);
  }
  emit("session_healed", {
    calls: lost.map(({ toolCallId, toolName }) => ({ tool_call_id: toolCallId, tool_name: toolName })),
  });
  return parked;
}

interface OpenCall extends StoredCall {
  readonly callKey: string;
}

async function findOpenCalls(
  store: HostStore,
  { id: sessionId, settledLen, openCalls }: SessionRecord,
): Promise<readonly OpenCall[]> {
  const found: OpenCall[] = [];
  for await (const { body, position } of store.read(sessionId, { from: settledLen })) {
    if (body.role !== "assistant") continue;
    const calls = callsOf(body).map((call, index) => ({
      ...call,
      callKey: `${sessionId}:${position}:${index}`,
    }));
    found.push(...calls.filter((call) => openCalls.includes(`call:${call.toolCallId}`)));
  }
  return found;
}

async function parkedCalls(
  approvals: ApprovalStore,
  sessionId: string,
  { open, now }: { readonly open: readonly OpenCall[]; readonly now: number },
): Promise<readonly ParkedCall[]> {
  const records = await approvals.list({ sessionId });
  return open.flatMap((call) => {
    const record = records.findLast((each) => each.callKey === call.callKey);
    const live = record !== undefined && record.state !== "redeemed" && now < record.expiresAt;
    return live ? [{ ...call, approvalId: record.approvalId }] : [];
  });
}
