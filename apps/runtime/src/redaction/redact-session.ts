import type { RedactionReport, SessionRecord } from "@mobkit/session";
import type { ModelMessage } from "../providers/model.ts";
import { whenThere } from "../events/event-log.ts";
import { everySession } from "../store/every-session.ts";
import type { HostStore } from "../store/host-store.ts";
import type { HostState } from "../store/open-state.ts";
import type { RedactedLedger } from "../store/state-redaction.ts";
import { messageWithoutAttachments, messageWithoutTexts } from "./message-text.ts";
import {
  changeOf,
  ledgerRedaction,
  needlesOf,
  planRedaction,
  type GoingFromLog,
  type LeftMessages,
  type RedactedMessage,
  type RedactionPlan,
} from "./plan-redaction.ts";
import { formsOf } from "./texts.ts";

/** Most messages of one call of the store. */
const MOST = 256;

/** What a redaction did, and what it could not reach. */
export interface SessionRedaction {
  readonly messages: number;
  /** Summaries of compactions that covered them. */
  readonly summaries: number;
  /** Attachments that were removed. */
  readonly blobs: number;
  readonly events: number;
  /** Values beside transcripts: waiting events, first inputs, side state, reasons. */
  readonly values: number;
  readonly ledger: RedactedLedger;
  /** Sessions whose request head (system text and tool definitions) was removed: the next turn in each writes another. */
  readonly requestHeads: readonly string[];
  /** How many redactions the store has seen. */
  readonly generation: number | undefined;
  readonly notReached: NotReached;
}

/** What still holds what was to go. */
export interface NotReached {
  /** Messages of other sessions. */
  readonly elsewhere: readonly LeftMessages[];
  /** Messages of the session that could not be changed: the text stands in a call's id or its tool's name. */
  readonly messages: number;
  readonly events: number;
  /** Sessions whose request head has it again. */
  readonly requestHeads: readonly string[];
  /** Rows by table of the store's file, for whatever else. */
  readonly tables: Readonly<Record<string, number>>;
  /** Sessions in which another process runs a turn: it drops its copy before its next request. */
  readonly running: readonly string[];
  /** Files in which replaced bytes may still lie, since somebody reads them. */
  readonly unpurged: readonly string[];
}

/**
 * Redacts what was planned, then looks what is left. Stopped between its steps it is repeated as a whole: what tells the
 * texts again, should they come of a pattern, goes last, first from the log and then from the transcript or the other
 * way, by which of them tells it.
 */
export async function redactSession(
  state: HostState,
  plan: RedactionPlan,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<SessionRedaction> {
  const { events } = state;
  const { places } = state.redaction!;
  const { order } = plan;
  const { loggedTexts = [] } = order;
  const isSpoken = (text: string): boolean => !loggedTexts.includes(text);
  const toldIds = loggedTexts.length > 0 ? [] : plan.toldIds;
  await rewriteEvents(state, { toldIds, forms: formsOf(order.texts.filter(isSpoken)) });
  const reports = await redactMessages(state, plan, { now, signal });
  if (loggedTexts.length > 0) await rewriteEvents(state, plan);
  // Also when nothing was changed: this may be the repetition that a reader made necessary.
  const isPurged = await events.purge();
  const sum = (field: "messages" | "summaries" | "blobs" | "texts"): number =>
    reports.reduce((total, report) => total + report[field], 0);
  const left = await planRedaction(state, { ...order, wholeIds: [] }, { now, signal });
  const unpurged = reports.every(({ purged }) => purged) ? [] : [places.transcripts];
  return {
    messages: plan.messages.length === 0 ? 0 : sum("messages"),
    summaries: sum("summaries"),
    blobs: sum("blobs"),
    events: plan.events.changed,
    values: sum("texts"),
    ledger: plan.ledger,
    requestHeads: plan.requestHeads,
    generation: reports.at(-1)?.generation,
    notReached: {
      elsewhere: left.elsewhere,
      messages: left.messages.length + left.named.messages,
      events: left.events.changed + left.named.events,
      ...leftBeside(left),
      running: await runningWith(state.store, plan, { now, signal }),
      unpurged: [...unpurged, ...(isPurged ? [] : [places.events])],
    },
  };
}

async function rewriteEvents({ events }: HostState, going: GoingFromLog): Promise<void> {
  await events.rewrite(needlesOf(going), changeOf(going));
}

/** In as few calls as there are sessions and ways; the first takes the host's own tables along. */
async function redactMessages(
  { store, redaction }: HostState,
  plan: RedactionPlan,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<readonly RedactionReport[]> {
  const { forms } = plan;
  const ledger = ledgerRedaction(plan, now);
  const reports: RedactionReport[] = [];
  for (const batch of await batchesOf(store, plan, signal)) {
    const report = await store.upkeep!.redact({
      sessionId: batch.session,
      messageIds: batch.ids,
      ...(!batch.isWhole && { replace: replacementOf(batch, forms) }),
      secrets: forms,
      ...(reports.length === 0 && {
        join: (tx: never) => whenThere(redaction!.redactLedger(tx, ledger), () => undefined),
      }),
      signal,
    });
    reports.push(report);
  }
  return reports;
}

/** What is attached goes with a message that changes. */
function replacementOf(
  { isAttached }: Batch,
  forms: readonly string[],
): (message: ModelMessage) => ModelMessage {
  return (message) => messageWithoutTexts(isAttached ? messageWithoutAttachments(message) : message, forms);
}

interface Batch {
  readonly session: string;
  readonly isWhole: boolean;
  readonly isAttached: boolean;
  /** Whether its messages stand in the named session's transcript. */
  readonly isHere: boolean;
  readonly ids: string[];
}

async function batchesOf(
  store: HostStore,
  plan: RedactionPlan,
  signal: AbortSignal,
): Promise<readonly Batch[]> {
  const batches: Batch[] = [];
  for (const message of [...plan.messages, ...(await anchorOf(store, plan, signal))]) {
    const { session, id, isWhole, isAttached, position } = message;
    const isHere = position !== undefined;
    const open = batches.findLast(
      (each) =>
        each.session === session &&
        each.isWhole === isWhole &&
        each.isAttached === isAttached &&
        each.isHere === isHere,
    );
    if (open !== undefined && open.ids.length < MOST) open.ids.push(id);
    else batches.push({ session, isWhole, isAttached, isHere, ids: [id] });
  }
  return batches;
}

/**
 * Where no message has the text, one to name all the same, since the store redacts by messages: so that what stands beside
 * messages is redacted, and a repetition clears the log away. It keeps what it says.
 */
async function anchorOf(
  store: HostStore,
  { order, messages }: RedactionPlan,
  signal: AbortSignal,
): Promise<readonly RedactedMessage[]> {
  if (messages.length > 0) return [];
  const { session } = order;
  const own = session.state === "tombstone" ? undefined : await firstOf(store, session.id, signal);
  if (own !== undefined) return [own];
  for await (const { id } of everySession(store, { signal })) {
    const other = await firstOf(store, id, signal);
    if (other !== undefined) return [other];
  }
  return [];
}

async function firstOf(
  store: HostStore,
  session: string,
  signal: AbortSignal,
): Promise<RedactedMessage | undefined> {
  for await (const { id, position } of store.read(session, { to: 1, signal }))
    return { session, id, position, origin: undefined, isWhole: false, isAttached: false };
  return undefined;
}

/** What stands in the store's file beside messages. */
function leftBeside({ found, requestHeads }: RedactionPlan): Pick<NotReached, "requestHeads" | "tables"> {
  const { blob = 0, ...tables } = found.tables;
  const isOther = blob > 0 && requestHeads.length === 0 && found.messages.length === 0;
  return { requestHeads, tables: { ...tables, ...(isOther && { blob }) } };
}

/** The named session, the others that were redacted, and what was forked from one of them: where a turn runs. */
async function runningWith(
  store: HostStore,
  { order, messages }: RedactionPlan,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const related = new Set([order.session.id, ...messages.map(({ session }) => session)]);
  const running: string[] = [];
  for await (const record of everySession(store, { signal })) {
    const { id, parent } = record;
    if (parent !== null && related.has(parent.sessionId)) related.add(id);
    if (related.has(id) && isHeld(record, now)) running.push(id);
  }
  return running;
}

function isHeld({ lease, runTurn }: SessionRecord, now: number): boolean {
  return runTurn !== null && lease.owner !== null && (lease.expiresAt ?? 0) > now;
}
