import { addUsage, canonicalJson, systemClock, type Clock } from "@basis/core";
import type { CallOptions } from "../page.ts";
import { invalidRequest } from "../request-checks.ts";
import { isSessionError, SessionError } from "../session-error.ts";
import type { SessionParent } from "../session-record.ts";
import type { SessionStore } from "../store.ts";
import type { SessionOutline, SessionTransfer, TransferRow } from "../transfer.ts";
import { BundleFlaw, invalidBundle } from "./bundle-flaw.ts";
import { bundleFormat, bundleVersion, type BundleLine, type SessionLine } from "./bundle-lines.ts";
import { chunksOf, textOf } from "./content-chunks.ts";
import { chainLines, writeLine } from "./line-codec.ts";
import { covers, TranscriptCheck } from "./transcript-check.ts";

/** The part of a store that an export reads. `upkeep` tells whether something was redacted meanwhile. */
export type ExportSource<M> = Pick<SessionStore<M, never>, "shape" | "head" | "blobs" | "transfer"> & {
  readonly upkeep?: { generation(options?: CallOptions): Promise<number> } | undefined;
};

/** How a session is exported. */
export interface ExportOptions extends CallOptions {
  /** Tells when. Default: the machine's. */
  readonly clock?: Clock | undefined;
}

/**
 * A session as a bundle: one line after the other, without line breaks. Holds the transcript as it was when the export
 * began, with the spans of its ancestors, its blobs, compactions, rollbacks and side state. Everything is verified on the way, and
 * memory doesn't grow with the transcript's text. A bundle without its end is refused by every import.
 *
 * @throws SessionError `unknown_session`, `session_unavailable` (pending, tombstone), `blob_missing`, `store_corrupt` (a digest
 * doesn't fit), `bundle_stale` (redacted or collected meanwhile: begin again), `invalid_request` (a store that can't).
 */
export async function* exportSession<M>(
  source: ExportSource<M>,
  sessionId: string,
  options: ExportOptions = {},
): AsyncGenerator<string, void, undefined> {
  const { transfer } = source;
  if (transfer === undefined) throw invalidRequest("store", "can't export sessions");
  let digest = "";
  let number = 0;
  const writer = new BundleWriter(source, transfer, options);
  try {
    for await (const line of writer.lines(sessionId)) {
      number += 1;
      const text = writeLine(line.type === "end" ? { ...line, digest } : line);
      yield text;
      digest = chainLines(digest, text);
    }
  } catch (error) {
    throw error instanceof BundleFlaw ? invalidBundle(number, error) : error;
  }
}

class BundleWriter<M> {
  readonly #source: ExportSource<M>;
  readonly #transfer: SessionTransfer;
  readonly #options: ExportOptions;
  readonly #check: TranscriptCheck<M>;
  readonly #written = new Set<string>();
  #blobLines = 0;

  constructor(source: ExportSource<M>, transfer: SessionTransfer, options: ExportOptions) {
    this.#source = source;
    this.#transfer = transfer;
    this.#options = options;
    this.#check = new TranscriptCheck(source.shape);
  }

  /** The lines; the digest of the last one is the caller's to put in. */
  async *lines(sessionId: string): AsyncGenerator<BundleLine, void, undefined> {
    const { signal, clock = systemClock } = this.#options;
    const generation = await this.#generation();
    const outline = await this.#transfer.outline(sessionId, { signal });
    const { shape } = this.#source;
    const exportedAt = clock.now();
    yield {
      type: "bundle",
      format: bundleFormat,
      version: bundleVersion,
      shape: shape.name,
      generation,
      exportedAt,
    };
    yield sessionLine(outline);
    yield* this.#ancestors(outline.session.parent);
    for (const span of outline.spans) yield { type: "span", ...span };
    const { requestHead } = outline.session;
    if (requestHead !== null) yield* this.#blob(requestHead);
    for await (const row of this.#transfer.rows(outline.spans, { signal })) yield* this.#row(sessionId, row);
    this.#refuseDifference(outline);
    for (const mark of outline.cancelMarks) yield { type: "cancel", ...mark };
    yield* this.#sideState(outline);
    if ((await this.#generation()) !== generation) throw stale(sessionId, "something was redacted meanwhile");
    yield { type: "end", messages: outline.session.len, blobs: this.#blobLines, digest: "" };
  }

  async #generation(): Promise<number> {
    return (await this.#source.upkeep?.generation({ signal: this.#options.signal })) ?? 0;
  }

  async *#ancestors(first: SessionParent | null): AsyncGenerator<BundleLine, void, undefined> {
    for (let parent = first; parent !== null;) {
      const { sessionId: id, len, digest } = parent;
      yield { type: "ancestor", id, len, digest };
      parent = await this.#parentOf(id);
    }
  }

  async #parentOf(sessionId: string): Promise<SessionParent | null> {
    try {
      return (await this.#source.head(sessionId, { signal: this.#options.signal })).parent;
    } catch (error) {
      if (isSessionError(error, "unknown_session")) return null;
      throw error;
    }
  }

  async *#row(
    sessionId: string,
    { row, blobs, mark }: TransferRow,
  ): AsyncGenerator<BundleLine, void, undefined> {
    if (row.position !== this.#check.end.len) throw stale(sessionId, "rows were collected meanwhile");
    for (const digest of blobs) if (!this.#written.has(digest)) yield* this.#blob(digest);
    const { bodyText, turnId, ...fields } = row;
    let text = bodyText;
    if (row.blob !== null) {
      const content = await this.#content(row.blob);
      yield* this.#contentLines(row.blob, content);
      text = textOf(content, "body");
    }
    this.#verify(() => this.#check.add(row, text ?? ""));
    yield { type: "message", ...fields, turn: turnId, body: bodyText, blobs };
    if (mark === null) return;
    const { summarises, keepFrom, createdAt } = mark;
    this.#verify(() => this.#check.addMark({ summarises, keepFrom }));
    yield { type: "mark", summarises, keepFrom, createdAt };
  }

  #refuseDifference({ session }: SessionOutline): void {
    const { len, settledLen, headDigest, usage } = session;
    const { end, digest } = this.#check;
    if (end.len !== len) throw stale(session.id, "rows were collected meanwhile");
    const spent = addUsage(usage.own, usage.inherited);
    if (digest === headDigest && end.settledLen === settledLen && covers(spent, this.#check.usage)) return;
    throw corrupt("a session's head is not what its rows come to");
  }

  async *#sideState({ sideState }: SessionOutline): AsyncGenerator<BundleLine, void, undefined> {
    for (const { kind, onFork, value, position, version } of sideState) {
      const text = canonicalJson(value);
      yield* this.#namedBlobs(text);
      const content = new TextEncoder().encode(text);
      yield { type: "side_state", kind, onFork, position, version, bytes: content.length };
      yield* chunksOf(content);
    }
  }

  /** A digest in a text holds its blob in the store, so it takes it along, if there is one. */
  async *#namedBlobs(text: string): AsyncGenerator<BundleLine, void, undefined> {
    for (const [digest] of text.matchAll(/sha256:[0-9a-f]{64}/g)) {
      if (this.#written.has(digest)) continue;
      const content = await this.#source.blobs.get(digest, { signal: this.#options.signal });
      if (content !== undefined) yield* this.#contentLines(digest, content);
    }
  }

  async *#blob(digest: string): AsyncGenerator<BundleLine, void, undefined> {
    yield* this.#contentLines(digest, await this.#content(digest));
  }

  async #content(digest: string): Promise<Uint8Array> {
    const content = await this.#source.blobs.get(digest, { signal: this.#options.signal });
    if (content !== undefined) return content;
    throw new SessionError("blob_missing", `the blob ${digest} is not stored`, { details: { digest } });
  }

  *#contentLines(digest: string, content: Uint8Array): Generator<BundleLine, void, undefined> {
    this.#written.add(digest);
    this.#blobLines += 1;
    yield { type: "blob", digest, bytes: content.length };
    yield* chunksOf(content);
  }

  #verify(check: () => void): void {
    try {
      check();
    } catch (error) {
      throw error instanceof BundleFlaw ? corrupt(`a row's ${error.field} ${error.message}`) : error;
    }
  }
}

function sessionLine({ session, member }: SessionOutline): SessionLine {
  const { id, len, settledLen, headDigest: digest, rev, requestHead, usage, createdAt, updatedAt } = session;
  return {
    type: "session",
    id,
    member: member?.member ?? null,
    role: member?.role ?? null,
    labels: member?.labels ?? {},
    len,
    settledLen,
    digest,
    rev,
    requestHead,
    ownUsage: usage.own,
    inheritedUsage: usage.inherited,
    createdAt,
    updatedAt,
  };
}

function stale(sessionId: string, reason: string): SessionError<"bundle_stale"> {
  return new SessionError(
    "bundle_stale",
    `the export of session ${sessionId} has to begin again: ${reason}`,
    {
      details: { sessionId, reason },
    },
  );
}

function corrupt(reason: string): SessionError<"store_corrupt"> {
  return new SessionError("store_corrupt", `the store is damaged: ${reason}`, { details: { reason } });
}
