import { MAX_HELD_CHARS } from "../state/event-store.ts";
import type { Recording } from "../state/recording.ts";
import { inTimeOrder } from "../state/time-order.ts";
import type { Source } from "./source.ts";

/** Most characters that are held while the whole log is: it is scrubbed or exported. */
const WHOLE_CHARS = 256 * 1024 * 1024;
const PAGE = 1000;

interface Numbered {
  readonly seq: number;
  readonly ts: string;
}

/** Reads what was looked for and had made room. Answers whether anything came. */
export async function readLookedFor(source: Source): Promise<boolean> {
  const { again } = source.recording.store;
  let hasCome = false;
  for (const [session, seqs] of again.takeWanted())
    for (const { from, to } of pagesOf(seqs)) {
      const events = await eventsOf(source, { session, from, to });
      const found = events.filter(({ seq }) => seqs.has(seq));
      for (const event of found) again.keep(session, event.seq, JSON.stringify(event));
      hasCome ||= found.length > 0;
    }
  return hasCome;
}

/** The pages of a log in which numbers stand. */
function pagesOf(seqs: ReadonlySet<number>): readonly Omit<Range, "session">[] {
  const pages: { from: number; to: number }[] = [];
  for (const seq of [...seqs].toSorted((a, b) => a - b)) {
    const last = pages.at(-1);
    if (last !== undefined && seq < last.from + PAGE) last.to = seq;
    else pages.push({ from: seq, to: seq });
  }
  return pages;
}

/** Holds every line, those that come meanwhile too, until `letGo`: those that had made room are read again. */
export async function holdWhole(source: Source): Promise<void> {
  const { recording } = source;
  const { store, model } = recording;
  store.holders += 1;
  if (source.rpc === undefined) return;
  store.resize(WHOLE_CHARS, store.arrivals);
  if (store.dropped === 0) return;
  for (const { id: session, seen } of model.sessions.values())
    for (const [from, to] of seen) await readBack(source, recording, { session, from, to });
}

async function readBack(
  source: Source,
  recording: Recording,
  { session, from: first, to: last }: Range,
): Promise<void> {
  for (let from = first; from <= last; from += PAGE) {
    const range = { session, from, to: Math.min(last, from + PAGE - 1) };
    if (isHeld(recording, range)) continue;
    const events = await eventsOf(source, range);
    if (recording !== source.recording) throw new Error("the log was just redacted");
    for (const event of events) {
      const arrival = { session, seq: event.seq, at: Date.parse(event.ts) };
      recording.store.add(arrival, JSON.stringify(event), true);
    }
  }
}

/** Ends what `holdWhole` began, as soon as nobody else needs the whole. */
export function letGo({ rpc }: Source, { store }: Recording): void {
  store.holders -= 1;
  if (rpc !== undefined && store.holders === 0) store.resize(MAX_HELD_CHARS, inTimeOrder(store));
}

interface Range {
  readonly session: string;
  readonly from: number;
  readonly to: number;
}

/** The events of a range, as the host has them now. */
export async function eventsOf(source: Source, { session, from, to }: Range): Promise<readonly Numbered[]> {
  const found: Numbered[] = [];
  for (let after = from - 1; source.rpc !== undefined && after < to;) {
    const limit = Math.min(PAGE, to - after);
    const page = await source.rpc<EventPage>("events/read", { session, after, limit });
    found.push(...page.events);
    const { next } = page;
    if (next === null || next <= after) break;
    after = next;
  }
  return found;
}

interface EventPage {
  readonly events: readonly Numbered[];
  readonly next: number | null;
}

function isHeld({ store }: Recording, { session, from, to }: Range): boolean {
  for (let seq = from; seq <= to; seq += 1) if (store.line(session, seq) === undefined) return false;
  return true;
}
