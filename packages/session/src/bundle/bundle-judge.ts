import { addUsage } from "@basis/core";
import { blobDigest } from "../message-body.ts";
import type { TranscriptShape } from "../transcript-shape.ts";
import type { ImportedSession, TransferRow } from "../transfer.ts";
import { BundleFlaw } from "./bundle-flaw.ts";
import type {
  BlobLine,
  BundleLine,
  ChunkLine,
  EndLine,
  HeaderLine,
  MarkLine,
  MessageLine,
  SessionLine,
  SideStateLine,
} from "./bundle-lines.ts";
import { originOf, type BundleOrigin, type BundleSummary } from "./bundle-summary.ts";
import { CancelReader } from "./cancel-reader.ts";
import { ContentInPieces, textOf } from "./content-chunks.ts";
import { LineageCheck } from "./lineage-check.ts";
import { invalidField } from "./line-fields.ts";
import { LineOrder } from "./line-order.ts";
import { SideStateReader } from "./side-state-reader.ts";
import { covers, TranscriptCheck } from "./transcript-check.ts";

/** What a bundle's lines come to, one after the other. A row comes once it is sure that no compaction belongs to it. */
export type BundleStep =
  | { readonly type: "origin"; readonly origin: BundleOrigin }
  | { readonly type: "blob"; readonly digest: string; readonly content: Uint8Array }
  | { readonly type: "row"; readonly row: TransferRow }
  | { readonly type: "end"; readonly summary: BundleSummary; readonly contents: BundleContents };

/** What an import ends with, but for the member. */
export type BundleContents = Pick<ImportedSession, "session" | "cancelMarks" | "sideState">;

/**
 * Judges a bundle line by line. Everything that a line tells is held against the lines before it; at the end nothing is
 * left to verify. Keeps ids, digests and one content at a time, so its size doesn't grow with what is said.
 */
export class BundleJudge<M> {
  readonly #check: TranscriptCheck<M>;
  readonly #order = new LineOrder();
  readonly #sideState = new SideStateReader();
  readonly #cancels = new CancelReader();
  readonly #blobs = new Set<string>();
  #header!: HeaderLine;
  #session!: SessionLine;
  #lineage!: LineageCheck;
  #origin!: BundleOrigin;
  #contentOf: { readonly line: BlobLine | SideStateLine; readonly pieces: ContentInPieces } | undefined;
  #latest: { readonly digest: string; readonly content: Uint8Array } | undefined;
  #held: TransferRow | undefined;
  #blobLines = 0;

  constructor(shape: TranscriptShape<M>) {
    this.#check = new TranscriptCheck(shape);
  }

  /** What the next line comes to. `before` is the digest over the lines before it. @throws BundleFlaw. */
  *take(line: BundleLine, before: string): Generator<BundleStep, void, undefined> {
    if (line.type !== "chunk") this.#refuseGap();
    const wasPastSpans = this.#order.isPastSpans;
    this.#order.next(line.type);
    if (!wasPastSpans && this.#order.isPastSpans) yield this.#endLineage();
    if (line.type === "mark") return this.#markHeld(line);
    yield* this.#releaseHeld();
    yield* this.#read(line, before);
  }

  *#read(line: Exclude<BundleLine, MarkLine>, before: string): Generator<BundleStep, void, undefined> {
    switch (line.type) {
      case "bundle":
        this.#header = line;
        return;
      case "session":
        this.#session = line;
        this.#lineage = new LineageCheck(line);
        return;
      case "ancestor":
        return this.#lineage.addAncestor(line);
      case "span":
        return this.#lineage.addSpan(line);
      case "blob":
      case "side_state":
        return yield* this.#announce(line);
      case "chunk":
        return yield* this.#addChunk(line);
      case "message":
        return this.#addMessage(line);
      case "cancel":
        return this.#cancels.add(line, this.#session.rev);
      case "end":
        yield this.#end(line, before);
    }
  }

  #refuseGap(): void {
    if (this.#contentOf === undefined) return;
    throw new BundleFlaw("unexpected_line", "type", "content is missing before this line");
  }

  #endLineage(): BundleStep {
    this.#lineage.endSpans();
    this.#origin = originOf(this.#header, this.#session, this.#lineage.ancestors);
    return { type: "origin", origin: this.#origin };
  }

  *#announce(line: BlobLine | SideStateLine): Generator<BundleStep, void, undefined> {
    if (line.type === "side_state") this.#sideState.announce(line);
    else this.#blobLines += 1;
    this.#contentOf = { line, pieces: new ContentInPieces(line.bytes) };
    yield* this.#endContent();
  }

  *#addChunk(line: ChunkLine): Generator<BundleStep, void, undefined> {
    if (this.#contentOf === undefined) {
      throw new BundleFlaw("unexpected_line", "type", "no content was announced");
    }
    this.#contentOf.pieces.add(line);
    yield* this.#endContent();
  }

  *#endContent(): Generator<BundleStep, void, undefined> {
    const { line, pieces } = this.#contentOf!;
    if (!pieces.isWhole) return;
    this.#contentOf = undefined;
    const content = pieces.whole();
    if (line.type === "side_state") return this.#sideState.add(line, content);
    if (blobDigest(content) !== line.digest) {
      throw new BundleFlaw("wrong_digest", "digest", `the content is not that of ${line.digest}`);
    }
    this.#blobs.add(line.digest);
    this.#latest = { digest: line.digest, content };
    yield { type: "blob", ...this.#latest };
  }

  #addMessage(line: MessageLine): void {
    const { type: _type, turn, body, blobs, ...fields } = line;
    this.#refuseOtherPlace(line);
    const row = Object.freeze({ ...fields, turnId: turn, bodyText: body });
    this.#check.add(row, this.#textOf(line));
    const told = this.#lineage.prefixDigest(row.position + 1);
    if (told !== undefined && told !== row.digest) {
      throw new BundleFlaw(
        "wrong_digest",
        "digest",
        `is not what the lineage tells of ${row.position + 1} messages`,
      );
    }
    for (const [index, digest] of blobs.entries()) this.#requireBlob(digest, `blobs/${index}`);
    this.#held = Object.freeze({ row, blobs, mark: null });
  }

  #refuseOtherPlace({ position, writer, seq }: MessageLine): void {
    const due = this.#check.end.len;
    if (position < due) throw new BundleFlaw("duplicate_seq", "position", `stands twice: ${due} is next`);
    const place = this.#lineage.nextPlace(due);
    if (position > due || place === undefined) {
      throw new BundleFlaw(
        "broken_order",
        "position",
        place === undefined ? "is beyond the end" : `must be ${due}`,
      );
    }
    if (writer !== place.writer) throw new BundleFlaw("foreign_span", "writer", `must be ${place.writer}`);
    if (seq !== place.seq) throw new BundleFlaw("broken_order", "seq", `must be ${place.seq}`);
  }

  #textOf({ body, blob }: MessageLine): string {
    if ((body === null) === (blob === null))
      throw invalidField("body", "must be there unless the body is a blob");
    if (body !== null) return body;
    if (this.#latest?.digest === blob) return textOf(this.#latest.content, "body");
    throw new BundleFlaw("missing_blob", "blob", `${blob} must stand just before`);
  }

  #markHeld({ summarises, keepFrom, createdAt }: MarkLine): void {
    const { row, blobs } = this.#held!;
    this.#check.addMark({ summarises, keepFrom });
    const mark = Object.freeze({ position: row.position, summarises, keepFrom, createdAt });
    this.#held = Object.freeze({ row, blobs, mark });
  }

  *#releaseHeld(): Generator<BundleStep, void, undefined> {
    const row = this.#held;
    this.#held = undefined;
    if (row !== undefined) yield { type: "row", row };
  }

  #requireBlob(digest: string, field: string): void {
    if (!this.#blobs.has(digest))
      throw new BundleFlaw("missing_blob", field, `${digest} is not in this bundle`);
  }

  #end(line: EndLine, before: string): BundleStep {
    const { len, settledLen, openCalls } = this.#check.end;
    const { rev, requestHead, ownUsage: own, inheritedUsage: inherited } = this.#session;
    if (len !== this.#session.len || line.messages !== len)
      throw invalidField("messages", `must be ${len}, as in the session`);
    if (line.blobs !== this.#blobLines) throw invalidField("blobs", `must be ${this.#blobLines}`);
    if (settledLen !== this.#session.settledLen)
      throw invalidField("settled_len", `of the session must be ${settledLen}`);
    if (!covers(addUsage(own, inherited), this.#check.usage))
      throw invalidField("own_usage", "of the session is less than its rows'");
    if (requestHead !== null) this.#requireBlob(requestHead, "request_head");
    if (line.digest !== before)
      throw new BundleFlaw("wrong_digest", "digest", "is not that of the lines before");
    const headDigest = this.#check.digest;
    const open = Object.freeze([...openCalls]);
    const summary: BundleSummary = Object.freeze({
      origin: this.#origin,
      messages: len,
      redacted: this.#check.redacted,
      blobs: this.#blobs.size,
      openCalls: open,
      headDigest,
      bundleDigest: before,
    });
    const session = {
      len,
      settledLen,
      openCalls: open,
      headDigest,
      rev,
      requestHead,
      usage: { own, inherited },
    };
    const contents = {
      session,
      cancelMarks: this.#cancels.marks,
      sideState: this.#sideState.states,
    };
    return { type: "end", summary, contents };
  }
}
