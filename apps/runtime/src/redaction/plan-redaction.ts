import type { FoundMessage, FoundTexts, SessionRecord } from "@mobkit/session";
import type { ModelMessage } from "../providers/model.ts";
import type { HostStore } from "../store/host-store.ts";
import type { HostState } from "../store/open-state.ts";
import type { RedactedLedger } from "../store/state-redaction.ts";
import { eventWithoutMessages, eventWithoutTexts, isInNames as isInEventNames } from "./event-text.ts";
import type { EventChange, RewrittenEvents } from "../events/event-log.ts";
import type { LedgerRedaction } from "./ledger-text.ts";
import { isInNames, messageWithoutTexts } from "./message-text.ts";
import { headsWith } from "./request-heads.ts";
import { formsOf } from "./texts.ts";
import { toldSummaries } from "./told-summaries.ts";

/** What is to be redacted. */
export interface RedactionOrder {
  readonly session: SessionRecord;
  /** Messages of the session that go as a whole, by id. */
  readonly wholeIds: readonly string[];
  /** Texts that go wherever they stand; each of 4 characters or more. */
  readonly texts: readonly string[];
  /** Those of them that only the event log tells, should what led to the order be looked for again: they go from it last. */
  readonly loggedTexts?: readonly string[];
  /** Also from the messages of every other session. Default: from what the session's transcript shares with others. */
  readonly everywhere: boolean;
}

/** A message that is redacted, and the session to name for it. */
export interface RedactedMessage {
  /** As the search tells it; undefined for one that is named and has no text. */
  readonly origin: string | undefined;
  readonly session: string;
  readonly id: string;
  /** Its place in the named session's transcript; undefined for what was cancelled there and for other sessions' own. */
  readonly position: number | undefined;
  readonly isWhole: boolean;
  /** What is attached to it has a text, and goes with what it shows of that. */
  readonly isAttached: boolean;
}

/** Messages of one session that hold the text and are left alone. */
export interface LeftMessages {
  readonly session: string;
  readonly isDeleted: boolean;
  readonly messages: number;
}

/** What a redaction would do. */
export interface RedactionPlan {
  readonly order: RedactionOrder;
  readonly forms: readonly string[];
  readonly messages: readonly RedactedMessage[];
  /** Messages that go from the log as a whole, by id: those that were named, and the summaries that stand for them. */
  readonly toldIds: readonly string[];
  readonly elsewhere: readonly LeftMessages[];
  readonly events: RewrittenEvents;
  /** Where a text is part of a call's id or a tool's name, which stay: how many messages of the session, and events. */
  readonly named: { readonly messages: number; readonly events: number };
  readonly ledger: RedactedLedger;
  /** Sessions whose request head has one of the texts. */
  readonly requestHeads: readonly string[];
  /** Where the texts stand in the store's file before. */
  readonly found: FoundTexts;
}

/** Looks where everything stands that is to go; changes nothing. What the redaction leaves as it is, it does not tell. */
export async function planRedaction(
  state: HostState,
  order: RedactionOrder,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<RedactionPlan> {
  const { store } = state;
  const { find, previewLedger } = state.redaction!;
  const forms = formsOf(order.texts);
  const named: FoundMessage[] = [];
  const counts = (message: ModelMessage, place: FoundMessage): boolean => {
    if (isInNames(message, forms)) named.push(place);
    return place.isAttached || messageWithoutTexts(message, forms) !== message;
  };
  const found = await find(forms, { signal, counts });
  const places = await placesIn(store, order, { found: [...found.messages, ...named], signal });
  const messages = messagesOf(order, found, places);
  const reached = new Set(messages.map(({ origin }) => origin));
  const rest = found.messages.filter(({ origin }) => !reached.has(origin));
  const whole = new Map(order.wholeIds.map((id) => [id, places.get(id)?.position]));
  const summaries = await toldSummaries(state, order.session.id, { places: whole, signal });
  const toldIds = [...order.wholeIds, ...summaries];
  const { namedEvents, ...events } = await eventsWith(state, { toldIds, forms });
  return {
    order,
    forms,
    messages,
    toldIds,
    elsewhere: await leftIn(store, rest, signal),
    events,
    named: { messages: ownOf(order, named, places).size, events: namedEvents },
    ledger: await previewLedger(ledgerRedaction({ order, forms, messages }, now)),
    requestHeads: found.tables["blob"] === undefined ? [] : await headsWith(store, forms, signal),
    found,
  };
}

async function eventsWith(
  { events }: HostState,
  going: GoingFromLog,
): Promise<RewrittenEvents & { readonly namedEvents: number }> {
  const change = changeOf(going);
  const named = new Set<string>();
  const look: EventChange = (event) => {
    const next = change(event);
    if (isInEventNames(next ?? event, going.forms)) named.add(`${event.session} ${event.seq}`);
    return next;
  };
  const rewritten = await events.rewrite(needlesOf(going), look, { dryRun: true });
  return { ...rewritten, namedEvents: named.size };
}

/** What the host's own tables lose with it. */
export function ledgerRedaction(
  { order, forms, messages }: Pick<RedactionPlan, "order" | "forms" | "messages">,
  at: number,
): LedgerRedaction {
  return { forms, at, messageIds: messages.map(({ id }) => id), wholeIds: new Set(order.wholeIds) };
}

/** What goes from the log: all that it tells of some messages, and texts. */
export type GoingFromLog = Pick<RedactionPlan, "toldIds" | "forms">;

/** What an event that has to change has in its stored form. */
export function needlesOf({ toldIds, forms }: GoingFromLog): readonly string[] {
  return [...toldIds, ...forms];
}

/** How an event changes. */
export function changeOf({ toldIds, forms }: GoingFromLog): EventChange {
  const ids = new Set(toldIds);
  return (event) => {
    const rest = ids.size === 0 ? undefined : eventWithoutMessages(event, ids);
    return eventWithoutTexts(rest ?? event, forms) ?? rest;
  };
}

/** Where a message stands in the named session's transcript. */
interface Place {
  readonly writer: string;
  readonly position: number;
}

/** Places of the messages that matter in the session's transcript, by id. */
async function placesIn(
  store: HostStore,
  { session, wholeIds }: RedactionOrder,
  { found, signal }: { readonly found: readonly FoundMessage[]; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, Place>> {
  const wanted = new Set([...wholeIds, ...found.map(({ messageId }) => messageId)]);
  const places = new Map<string, Place>();
  if (session.state === "tombstone" || wanted.size === 0) return places;
  for await (const { id, writer, position } of store.read(session.id, { signal }))
    if (wanted.has(id)) places.set(id, { writer, position });
  return places;
}

/** Each once, the named session's transcript last: what a pattern found there is found again until the rest is done. */
function messagesOf(
  order: RedactionOrder,
  found: FoundTexts,
  places: ReadonlyMap<string, Place>,
): readonly RedactedMessage[] {
  const { session, wholeIds, everywhere } = order;
  const own = ownOf(order, found.messages, places);
  const byId = new Map([...own.values()].map((each) => [each.messageId, each]));
  const whole = new Set(wholeIds);
  const owned = [...new Set([...whole, ...byId.keys()])].map((id): RedactedMessage => {
    const { origin, isAttached = false } = byId.get(id) ?? {};
    const position = places.get(id)?.position;
    return { session: session.id, id, origin, position, isWhole: whole.has(id), isAttached };
  });
  const others = everywhere ? found.messages.filter(({ origin }) => !own.has(origin)) : [];
  const isHere = ({ position }: RedactedMessage): boolean => position !== undefined;
  return [
    ...eachOnce(others),
    ...owned.filter((message) => !isHere(message)),
    ...owned.filter(isHere).toSorted((one, other) => one.position! - other.position!),
  ];
}

/** Those that the session wrote or has in its transcript, by origin: a session that came with a bundle has the ids of the one that it was taken from. */
function ownOf(
  { session }: RedactionOrder,
  found: readonly FoundMessage[],
  places: ReadonlyMap<string, Place>,
): ReadonlyMap<string, FoundMessage> {
  const isOwn = ({ sessionId, messageId }: FoundMessage): boolean =>
    sessionId === session.id || places.get(messageId)?.writer === sessionId;
  return new Map(found.filter(isOwn).map((each) => [each.origin, each]));
}

function eachOnce(others: FoundTexts["messages"]): RedactedMessage[] {
  const messages = new Map<string, RedactedMessage>();
  for (const { sessionId: session, messageId: id, origin, isAttached } of others)
    if (!messages.has(origin))
      messages.set(origin, { session, id, origin, position: undefined, isWhole: false, isAttached });
  return [...messages.values()];
}

/** By the session that wrote them; one message counts once, however many copies a rebase made. */
async function leftIn(
  store: HostStore,
  rest: FoundTexts["messages"],
  signal: AbortSignal,
): Promise<readonly LeftMessages[]> {
  const writers = new Map<string, Set<string>>();
  const counted = new Set<string>();
  for (const { sessionId, messageId, origin } of rest) {
    if (counted.has(origin)) continue;
    counted.add(origin);
    writers.set(sessionId, (writers.get(sessionId) ?? new Set()).add(messageId));
  }
  const left: LeftMessages[] = [];
  for (const [session, ids] of writers) {
    const { state } = await store.head(session, { signal });
    left.push({ session, isDeleted: state === "tombstone", messages: ids.size });
  }
  return left;
}
