import type { SessionRecord } from "@mobkit/session";
import type { Later } from "../../events/event-log.ts";
import type { ModelMessage } from "../../providers/model.ts";
import { summaryFacts } from "../../providers/summary-message.ts";
import type { HostStore } from "../../store/host-store.ts";
import type { Cue } from "../run/cue.ts";
import type { KeptTranscript } from "./kept-transcripts.ts";

/** The first rows of a session, as requests are built from them. Whoever has it may add to it. */
export interface LoadedTranscript {
  /** The summary and what follows it where the session was compacted, else every row. */
  readonly messages: ModelMessage[];
  /** Ids of all calls that the messages hold. */
  readonly callIds: Set<string>;
  /** The row of that summary, if any. */
  readonly markAt: number | undefined;
  /** Redactions of the store that the messages have seen. */
  readonly generation: number;
  /** Rows of the session that are accounted for. */
  len: number;
  /** What the messages are estimated to take in memory. */
  bytes: number;
}

/** How much of a session to load. */
export interface TranscriptLoad {
  readonly head: Pick<SessionRecord, "id" | "len" | "headDigest">;
  readonly generation: number;
  /** Ends the reading when it is given. */
  readonly ending: Cue;
  /** What is known already; not used again by whoever gave it. */
  readonly kept?: KeptTranscript | undefined;
}

/** The rows up to the head. What is kept is used only where the session still begins with it, digest for digest. */
export function loadTranscript(store: HostStore, load: TranscriptLoad): Later<LoadedTranscript> {
  const { head, generation, kept } = load;
  if (head.len === 0)
    return { messages: [], callIds: new Set(), markAt: undefined, generation, len: 0, bytes: 0 };
  const isWhole =
    kept?.loaded.generation === generation && kept.loaded.len === head.len && kept.digest === head.headDigest;
  return isWhole ? kept.loaded : readTranscript(store, load);
}

async function readTranscript(store: HostStore, load: TranscriptLoad): Promise<LoadedTranscript> {
  const { head, generation, ending, kept } = load;
  const { signal } = ending;
  if (kept?.loaded.generation === generation && (await isBeginning(store, load, kept)))
    return readRows(store, load, kept.loaded);
  const mark = await store.contextMark(head.id, { signal });
  const begun = { messages: [], callIds: new Set<string>(), markAt: mark?.position, generation, bytes: 0 };
  if (mark === undefined) return readRows(store, load, { ...begun, len: 0 });
  const loaded: LoadedTranscript = { ...begun, len: mark.keepFrom };
  const summary = store.read(head.id, { from: mark.position, to: mark.position + 1, signal });
  for await (const row of summary) addMessage(loaded, row.body);
  loaded.len = mark.keepFrom;
  return readRows(store, load, loaded);
}

/** Adds the row that comes next. */
export function addMessage(transcript: LoadedTranscript, message: ModelMessage): void {
  transcript.messages.push(message);
  transcript.len += 1;
  transcript.bytes += weightOf(message);
  if (message.role !== "assistant" || typeof message.content === "string") return;
  for (const part of message.content) if (part.type === "tool-call") transcript.callIds.add(part.toolCallId);
}

/** Whether the session begins with what is kept, and has not been compacted since. */
async function isBeginning(
  store: HostStore,
  { head, ending: { signal } }: TranscriptLoad,
  { loaded: { len, markAt }, digest }: KeptTranscript,
): Promise<boolean> {
  if (head.len <= len) return false;
  if ((await store.prefix(head.id, len, { signal })).digest !== digest) return false;
  return (await store.contextMark(head.id, { signal }))?.position === markAt;
}

async function readRows(
  store: HostStore,
  { head, ending: { signal } }: TranscriptLoad,
  loaded: LoadedTranscript,
): Promise<LoadedTranscript> {
  if (loaded.len >= head.len) return loaded;
  for await (const { position, body } of store.read(head.id, { from: loaded.len, to: head.len, signal })) {
    // Only the newest summary counts, and it stands first.
    if (position === loaded.markAt || summaryFacts(body) !== undefined) loaded.len += 1;
    else addMessage(loaded, body);
  }
  return loaded;
}

const OBJECT_BYTES = 56;
const MEMBER_BYTES = 16;

/** About what a message takes in memory; texts count as if each character took two bytes. */
function weightOf(value: unknown): number {
  if (typeof value === "string") return MEMBER_BYTES + 2 * value.length;
  if (typeof value !== "object" || value === null) return MEMBER_BYTES;
  let bytes = OBJECT_BYTES;
  for (const name in value)
    bytes += MEMBER_BYTES + weightOf((value as Readonly<Record<string, unknown>>)[name]);
  return bytes;
}
