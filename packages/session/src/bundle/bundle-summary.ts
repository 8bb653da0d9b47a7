import type { Labels } from "../member.ts";
import type { AncestorLine, HeaderLine, SessionLine } from "./bundle-lines.ts";

/** Where a bundle comes from, as it says itself. Nothing of it grants anything. */
export interface BundleOrigin {
  readonly sessionId: string;
  readonly member: string | null;
  readonly role: string | null;
  readonly labels: Labels;
  readonly shape: string;
  /** Redactions that the exporting store had seen. */
  readonly generation: number;
  readonly exportedAt: number;
  readonly createdAt: number;
  /** The sessions that it was forked from, the nearest first, each with the prefix that was taken. */
  readonly ancestors: readonly {
    readonly sessionId: string;
    readonly len: number;
    readonly digest: string;
  }[];
}

/** What a bundle holds, once all of it was verified. */
export interface BundleSummary {
  readonly origin: BundleOrigin;
  readonly messages: number;
  /** Messages whose body was replaced: their digest can't be verified by itself. */
  readonly redacted: number;
  readonly blobs: number;
  /** Keys that are open at the end; nothing waits for them any more. */
  readonly openCalls: readonly string[];
  /** The transcript's digest: equal to that of any store that holds the same messages. */
  readonly headDigest: string;
  /** Covers every line but the last. */
  readonly bundleDigest: string;
}

/** The origin that a bundle's first lines tell. Pure. */
export function originOf(
  header: HeaderLine,
  session: SessionLine,
  ancestors: readonly AncestorLine[],
): BundleOrigin {
  const { shape, generation, exportedAt } = header;
  const { id: sessionId, member, role, labels, createdAt } = session;
  const told = ancestors.map(({ id, len, digest }) => Object.freeze({ sessionId: id, len, digest }));
  return Object.freeze({
    sessionId,
    member,
    role,
    labels,
    shape,
    generation,
    exportedAt,
    createdAt,
    ancestors: Object.freeze(told),
  });
}
