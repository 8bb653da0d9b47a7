import { emptyDigest } from "../row-digest.ts";
import type { RowPlace, Span } from "../span.ts";
import { BundleFlaw } from "./bundle-flaw.ts";
import type { AncestorLine, SessionLine, SpanLine } from "./bundle-lines.ts";
import { invalidField } from "./line-fields.ts";

/** Most ancestors and most spans of a bundle. */
const MOST = 100_000;

/**
 * Holds a bundle's lineage together: the ancestors form one line without a cycle, the spans cover `[0, len)` in order, lie in
 * the logs of the session and its ancestors alone, and show no row twice.
 */
export class LineageCheck {
  readonly #session: SessionLine;
  readonly #members: Set<string>;
  readonly #ancestors: AncestorLine[] = [];
  readonly #spans: Span[] = [];
  /** Digests that prefixes must have, by length. */
  readonly #prefixes = new Map<number, string>();
  #reach: number;
  #end = 0;
  #at = 0;

  constructor(session: SessionLine) {
    this.#session = session;
    this.#members = new Set([session.id]);
    this.#reach = session.len;
  }

  get ancestors(): readonly AncestorLine[] {
    return this.#ancestors;
  }

  /** @throws BundleFlaw `lineage_cycle`, `wrong_digest`. */
  addAncestor(line: AncestorLine): void {
    if (this.#members.has(line.id)) {
      throw new BundleFlaw("lineage_cycle", "id", `the session ${line.id} can't descend from itself`);
    }
    if (this.#ancestors.length >= MOST) throw invalidField("id", `names more than ${MOST} ancestors`);
    this.#members.add(line.id);
    this.#ancestors.push(line);
    this.#reach = Math.min(this.#reach, line.len);
    if (line.len > this.#reach) return;
    this.#expectPrefix(line.len, line.digest, "digest");
  }

  /** @throws BundleFlaw `foreign_span`, `duplicate_seq`, `broken_order`. */
  addSpan(line: SpanLine): void {
    const { start, writer, lo, hi } = line;
    if (!this.#members.has(writer)) {
      throw new BundleFlaw("foreign_span", "writer", `${writer} is not in this bundle`);
    }
    if (hi <= lo) throw new BundleFlaw("broken_order", "hi", "must be greater than lo");
    if (start !== this.#end) throw new BundleFlaw("broken_order", "start", `must be ${this.#end}`);
    if (this.#spans.length >= MOST) throw invalidField("start", `begins more than ${MOST} spans`);
    this.#end += hi - lo;
    if (this.#end > this.#session.len)
      throw new BundleFlaw("broken_order", "hi", "leads beyond the session's end");
    this.#spans.push({ start, writer, lo, hi });
  }

  /** Called once all spans are known. @throws BundleFlaw `broken_order`, `duplicate_seq`. */
  endSpans(): void {
    if (this.#end !== this.#session.len) {
      throw new BundleFlaw("broken_order", "", `the spans end at ${this.#end}, not at ${this.#session.len}`);
    }
    this.#refuseOverlaps();
    this.#expectPrefix(this.#session.len, this.#session.digest, "digest");
  }

  /** Where the row at the next position lies; undefined beyond the end. */
  nextPlace(position: number): RowPlace | undefined {
    while (this.#at < this.#spans.length && endOf(this.#spans[this.#at]!) <= position) this.#at += 1;
    const span = this.#spans[this.#at];
    return span === undefined ? undefined : { writer: span.writer, seq: span.lo + position - span.start };
  }

  /** The digest that the prefix of a length must have, if anything in the bundle tells it. */
  prefixDigest(length: number): string | undefined {
    return this.#prefixes.get(length);
  }

  #expectPrefix(length: number, digest: string, field: string): void {
    const known = length === 0 ? emptyDigest : this.#prefixes.get(length);
    if (known !== undefined && known !== digest) {
      throw new BundleFlaw("wrong_digest", field, `two digests are told for the first ${length} messages`);
    }
    this.#prefixes.set(length, digest);
  }

  #refuseOverlaps(): void {
    const byWriter = this.#spans.toSorted((one, other) =>
      one.writer === other.writer ? one.lo - other.lo : one.writer < other.writer ? -1 : 1,
    );
    for (const [index, span] of byWriter.entries()) {
      const before = byWriter[index - 1];
      if (before === undefined || before.writer !== span.writer || before.hi <= span.lo) continue;
      throw new BundleFlaw("duplicate_seq", "lo", `row ${span.lo} of ${span.writer} stands in two spans`);
    }
  }
}

function endOf({ start, lo, hi }: Span): number {
  return start + hi - lo;
}
