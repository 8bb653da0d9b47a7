import { emptyUsage, type TokenUsage } from "@basis/core";
import { endAfter, type TranscriptEnd } from "../append-rules.ts";
import { encodeMessage } from "../prepared-write.ts";
import { emptyDigest, firstRowDigest, rowDigest } from "../row-digest.ts";
import { isSessionError } from "../session-error.ts";
import type { StoredRow } from "../transcript-row.ts";
import type { MessageFacts, TranscriptShape } from "../transcript-shape.ts";
import { BundleFlaw } from "./bundle-flaw.ts";
import { invalidField } from "./line-fields.ts";

/** Most calls and approvals that a message and what is open before it may name together: far more than anybody makes. */
const MOST_NAMED = 8192;

/** A compaction as far as it can be judged. */
interface CheckedMark {
  readonly summarises: number;
  readonly keepFrom: number;
}

/**
 * Goes through a transcript row by row and holds each against what the rows before it and its own body say: order,
 * legality, counts, digest. It remembers ids and where something was open, but no body.
 */
export class TranscriptCheck<M> {
  readonly #shape: TranscriptShape<M>;
  readonly #ids = new Set<string>();
  /** Lengths at which something is open. */
  readonly #unsettled = new Set<number>();
  #end: TranscriptEnd = { len: 0, settledLen: 0, openCalls: [] };
  #digest = emptyDigest;
  #usage: TokenUsage = emptyUsage;
  #redacted = 0;

  constructor(shape: TranscriptShape<M>) {
    this.#shape = shape;
  }

  get end(): TranscriptEnd {
    return this.#end;
  }

  /** Digest of the prefix up to here. */
  get digest(): string {
    return this.#digest;
  }

  /** Everything spent up to here. */
  get usage(): TokenUsage {
    return this.#usage;
  }

  /** Rows whose body was replaced, so that their digest can't be verified by itself. */
  get redacted(): number {
    return this.#redacted;
  }

  /** `text` is the body. @throws BundleFlaw `broken_order`, `invalid_field`, `invalid_message`, `wrong_digest`. */
  add(row: StoredRow, text: string): void {
    const { len } = this.#end;
    if (row.position !== len) throw new BundleFlaw("broken_order", "position", `must be ${len}`);
    if (this.#ids.has(row.id)) throw invalidField("id", "stands twice");
    const facts = this.#factsOf(row, text);
    if (facts.kind !== row.kind) throw invalidField("kind", `must be ${facts.kind}`);
    this.#end = this.#endAfter(facts);
    const open = this.#end.openCalls.length;
    if (row.openAfter !== open) throw invalidField("open_after", `must be ${open}`);
    this.#checkDigest(row, text);
    this.#checkUsage(row.usageAfter);
    this.#ids.add(row.id);
    if (open > 0) this.#unsettled.add(len + 1);
  }

  /** Judges the compaction of the last row. @throws BundleFlaw `invalid_field`. */
  addMark({ summarises, keepFrom }: CheckedMark): void {
    if (summarises > this.#end.len - 1) throw invalidField("summarises", "is beyond the summary's own row");
    if (keepFrom > summarises) throw invalidField("keep_from", "is beyond what is summarised");
    if (this.#unsettled.has(keepFrom)) throw invalidField("keep_from", "splits a call from its result");
  }

  #factsOf(row: StoredRow, text: string): MessageFacts {
    const encoded = readBody(this.#shape, text);
    if (encoded.text !== text) throw invalidField("body", "is no canonical JSON");
    if (encoded.blob !== row.blob)
      throw invalidField("blob", encoded.blob === null ? "must be null" : `must be ${encoded.blob}`);
    return encoded.facts;
  }

  #endAfter(facts: MessageFacts): TranscriptEnd {
    const named = this.#end.openCalls.length + facts.opens.length + facts.closes.length;
    if (named > MOST_NAMED)
      throw new BundleFlaw("invalid_message", "body", `has more than ${MOST_NAMED} calls`);
    try {
      return endAfter(this.#end, facts, this.#end.len);
    } catch (error) {
      if (isSessionError(error)) throw new BundleFlaw("invalid_message", "body", error.message);
      throw error;
    }
  }

  #checkDigest(row: StoredRow, text: string): void {
    const before = this.#digest;
    const { salt, id, kind, turnId, blob, digest } = row;
    this.#digest = digest;
    if (salt === null) {
      this.#redacted += 1;
      return;
    }
    const covered = { salt, id, kind, turnId };
    if (rowDigest(before, { ...covered, body: blob ?? text }) === digest) return;
    if (firstRowDigest(before, { ...covered, body: text }) === digest) return;
    throw new BundleFlaw("wrong_digest", "digest", "is not that of this message behind the ones before");
  }

  #checkUsage(after: TokenUsage): void {
    if (!covers(after, this.#usage)) throw invalidField("usage_after", "is less than before");
    this.#usage = after;
  }
}

/** True when no count is less than the other's. */
export function covers(usage: TokenUsage, other: TokenUsage): boolean {
  return (Object.keys(emptyUsage) as (keyof TokenUsage)[]).every((field) => usage[field] >= other[field]);
}

function readBody<M>(shape: TranscriptShape<M>, text: string): ReturnType<typeof encodeMessage> {
  let message: M;
  try {
    message = JSON.parse(text) as M;
  } catch {
    throw invalidField("body", "is no JSON");
  }
  try {
    return encodeMessage(shape, message);
  } catch (error) {
    if (isSessionError(error, "invalid_message")) {
      throw new BundleFlaw("invalid_message", "body", error.details.problem);
    }
    throw error;
  }
}
