import { emptyUsage, type Clock } from "@basis/core";
import type { MarkedRange } from "../collection-steps.ts";
import type { ForkOperation } from "../fork-operation.ts";
import type { MemberRecord } from "../member.ts";
import type { OutboxEvent, NewOutboxEvent } from "../outbox.ts";
import { invalidRequest, keepJson } from "../request-checks.ts";
import { emptyDigest } from "../row-digest.ts";
import { SessionError } from "../session-error.ts";
import { unknownSession } from "../session-unavailable.ts";
import type { Join } from "../session-write.ts";
import { locateRow, positionOf, sliceSpans, type RowPlace } from "../span.ts";
import type { PrefixRecord, StoredRow } from "../transcript-row.ts";
import type { TranscriptShape } from "../transcript-shape.ts";
import type { MemorySession } from "./memory-session.ts";
import { RowPlaces } from "./row-places.ts";

/** All that a memory store holds. What changes it runs without a pause between its checks and its last write. */
export class MemoryState<M> {
  readonly shape: TranscriptShape<M>;
  readonly clock: Clock;
  readonly sessions: Map<string, MemorySession> = new Map();
  readonly members: Map<string, MemberRecord> = new Map();
  /** Names of committed forks that aren't seated, with their operation. */
  readonly reservations: Map<string, string> = new Map();
  readonly operations: Map<string, ForkOperation<M>> = new Map();
  readonly operationKeys: Map<string, string> = new Map();
  readonly operationSessions: Map<string, string> = new Map();
  readonly blobs: Map<string, string | Uint8Array> = new Map();
  readonly outbox: Map<string, OutboxEvent> = new Map();
  /** What a collection found unneeded, and when. */
  readonly marks: { ranges: MarkedRange[]; readonly blobs: Map<string, number> } = {
    ranges: [],
    blobs: new Map(),
  };
  /** Where a rebase copied a row from, by the copy's place; a copy of a copy names the first one. */
  readonly origins: Map<string, string> = new Map();
  /** Redactions so far. */
  generation = 0;
  /** Rebases that were finished. */
  rebases = 0;
  readonly places: RowPlaces = new RowPlaces(() => this.#everyRow());
  /** Keys of events, with the moment at which each was consumed. */
  readonly eventKeys: Map<string, number | undefined> = new Map();
  #events = 0;
  #closed = false;
  #joining = false;

  constructor(shape: TranscriptShape<M>, clock: Clock) {
    this.shape = shape;
    this.clock = clock;
  }

  close(): void {
    this.#closed = true;
  }

  /** The first step of every call. @throws the signal's reason; SessionError `store_unavailable`. */
  enter(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    if (!this.#closed && !this.#joining) return;
    const reason = this.#closed ? "it is closed" : "a join may not call the store";
    throw new SessionError("store_unavailable", `the store can't be used: ${reason}`, {
      details: { reason },
    });
  }

  /** Runs a join while the store refuses every other call. @throws SessionError `invalid_request` for a promise. */
  callJoin(join: Join<undefined> | undefined): void {
    if (join === undefined) return;
    this.#joining = true;
    try {
      const answer: unknown = join(undefined);
      if (typeof (answer as PromiseLike<void> | undefined)?.then !== "function") return;
      throw invalidRequest("join", "must be synchronous in this store");
    } finally {
      this.#joining = false;
    }
  }

  session(sessionId: string): MemorySession {
    const session = this.sessions.get(sessionId);
    if (session === undefined) throw unknownSession(sessionId);
    return session;
  }

  /** The row at a position; undefined outside the transcript. */
  rowAt(session: MemorySession, position: number): StoredRow | undefined {
    const place = locateRow(session.spans, position);
    return place === undefined ? undefined : this.sessions.get(place.writer)?.log.get(place.seq);
  }

  /** The place at which a row was first kept, as one text. */
  originOf({ writer, seq }: RowPlace): string {
    const place = `${writer} ${seq}`;
    return this.origins.get(place) ?? place;
  }

  *#everyRow(): Iterable<StoredRow> {
    for (const { log } of this.sessions.values()) yield* log.values();
  }

  /** The last position of a message or turn in the session's transcript. */
  positionIn(session: MemorySession, list: readonly RowPlace[]): number | undefined {
    for (const place of list.toReversed()) {
      const position = positionOf(session.spans, place);
      if (position !== undefined) return position;
    }
    return undefined;
  }

  prefix(session: MemorySession, length: number): PrefixRecord {
    if (length === 0) return EMPTY_PREFIX;
    const { digest, openAfter, usageAfter } = this.rowAt(session, length - 1)!;
    return Object.freeze({
      length,
      digest,
      openAfter,
      usage: usageAfter,
      nearestBefore: this.#settledBefore(session, length),
      nearestAfter: this.#settledAfter(session, length),
    });
  }

  #settledBefore(session: MemorySession, length: number): number {
    let at = length;
    while (at > 0 && this.rowAt(session, at - 1)!.openAfter > 0) at -= 1;
    return at;
  }

  #settledAfter(session: MemorySession, length: number): number | null {
    for (let at = length; at <= session.record.len; at += 1) {
      if (this.rowAt(session, at - 1)!.openAfter === 0) return at;
    }
    return null;
  }

  /** Keeps content; whoever puts it again renews its grace. */
  keepBlob(digest: string, content: string | Uint8Array): void {
    this.blobs.set(digest, content);
    this.marks.blobs.delete(digest);
  }

  /** @throws SessionError `blob_missing`. */
  checkBlob(digest: string): void {
    if (this.blobs.has(digest)) return;
    throw new SessionError("blob_missing", `the blob ${digest} is not stored`, { details: { digest } });
  }

  /** Refuses a prefix whose blobs aren't all there. @throws SessionError `blob_missing`. */
  checkBlobs(session: MemorySession, length: number): void {
    for (const { writer, lo, hi } of sliceSpans(session.spans, 0, length)) {
      for (const { seq, digest } of this.sessions.get(writer)?.blobRefs ?? []) {
        if (lo <= seq && seq < hi) this.checkBlob(digest);
      }
    }
  }

  /** @throws SessionError `member_already_exists`. */
  checkNameFree(member: string): void {
    const reserved = this.reservations.has(member);
    if (!reserved && !this.members.has(member)) return;
    const holder = reserved ? "reserved" : "seated";
    throw new SessionError("member_already_exists", `the name ${member} is ${holder}`, {
      details: { member, holder },
    });
  }

  /** Takes an event out; false when it was taken before. Its key stays. */
  consume(eventId: string): boolean {
    const event = this.outbox.get(eventId);
    if (event === undefined) return false;
    this.eventKeys.set(event.key, this.clock.now());
    return this.outbox.delete(eventId);
  }

  /** Writes events; one whose key was written before is dropped. */
  emit(sessionId: string, events: readonly NewOutboxEvent[]): void {
    for (const { key, kind, payload } of events) {
      if (this.eventKeys.has(key)) continue;
      this.eventKeys.set(key, undefined);
      const id = String((this.#events += 1)).padStart(16, "0");
      const createdAt = this.clock.now();
      const kept = keepJson("events.payload", payload);
      this.outbox.set(id, Object.freeze({ id, sessionId, key, kind, payload: kept, createdAt }));
    }
  }
}

const EMPTY_PREFIX: PrefixRecord = Object.freeze({
  length: 0,
  digest: emptyDigest,
  openAfter: 0,
  usage: emptyUsage,
  nearestBefore: 0,
  nearestAfter: 0,
});
