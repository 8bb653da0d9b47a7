import type { TokenUsage } from "@basis/core";
import type { Labels } from "../member.ts";
import type { ForkBehaviour } from "../side-state.ts";
import type { MessageKind } from "../transcript-shape.ts";

/** The version that this program writes, and the newest that it reads. */
export const bundleVersion = 2;

export const bundleFormat = "mobkit-session-bundle";

/** The first line. `generation` counts the redactions that the store had seen. */
export interface HeaderLine {
  readonly type: "bundle";
  readonly format: typeof bundleFormat;
  readonly version: number;
  /** The name of the transcript shape. */
  readonly shape: string;
  readonly generation: number;
  readonly exportedAt: number;
}

/** The session as it was. What grants something (lease, approvals, rules, identity) or waits (turn, inputs, events) is left out. */
export interface SessionLine {
  readonly type: "session";
  readonly id: string;
  readonly member: string | null;
  readonly role: string | null;
  readonly labels: Labels;
  readonly len: number;
  readonly settledLen: number;
  readonly digest: string;
  readonly rev: number;
  readonly requestHead: string | null;
  readonly ownUsage: TokenUsage;
  readonly inheritedUsage: TokenUsage;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The session that the one before began as a fork of, with the prefix that it began with. */
export interface AncestorLine {
  readonly type: "ancestor";
  readonly id: string;
  readonly len: number;
  readonly digest: string;
}

/** A run of rows in the log of the session or of an ancestor. */
export interface SpanLine {
  readonly type: "span";
  readonly start: number;
  readonly writer: string;
  readonly lo: number;
  readonly hi: number;
}

/** Content by its digest; its bytes follow in chunks. */
export interface BlobLine {
  readonly type: "blob";
  readonly digest: string;
  readonly bytes: number;
}

/** A piece of what the blob or the side state before consists of. */
export interface ChunkLine {
  readonly type: "chunk";
  readonly base64: string;
}

/** A row. `body` is the message's canonical text, null when that is the blob `blob`, which stands just before. */
export interface MessageLine {
  readonly type: "message";
  readonly position: number;
  readonly writer: string;
  readonly seq: number;
  readonly id: string;
  readonly turn: string | null;
  readonly kind: MessageKind;
  readonly digest: string;
  readonly openAfter: number;
  readonly usageAfter: TokenUsage;
  readonly rev: number;
  readonly createdAt: number;
  /** Null when the body was redacted; the digest is still that of the body before. */
  readonly salt: string | null;
  readonly blob: string | null;
  readonly body: string | null;
  /** Other blobs that the row refers to; each stands somewhere before. */
  readonly blobs: readonly string[];
}

/** Makes the message before it the summary of a compaction. */
export interface MarkLine {
  readonly type: "mark";
  readonly summarises: number;
  readonly keepFrom: number;
  readonly createdAt: number;
}

/** A rollback of the session's own. */
export interface CancelLine {
  readonly type: "cancel";
  readonly from: number;
  readonly to: number;
  readonly digest: string;
  readonly reason: string;
  readonly rev: number;
  readonly createdAt: number;
}

/** A value beside the transcript; its canonical text follows in chunks. */
export interface SideStateLine {
  readonly type: "side_state";
  readonly kind: string;
  readonly onFork: ForkBehaviour;
  readonly position: number;
  readonly version: number;
  readonly bytes: number;
}

/** The last line. `digest` covers every line before it. */
export interface EndLine {
  readonly type: "end";
  readonly messages: number;
  readonly blobs: number;
  readonly digest: string;
}

/** Any line of a bundle. */
export type BundleLine =
  | HeaderLine
  | SessionLine
  | AncestorLine
  | SpanLine
  | BlobLine
  | ChunkLine
  | MessageLine
  | MarkLine
  | CancelLine
  | SideStateLine
  | EndLine;
