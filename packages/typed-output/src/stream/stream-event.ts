import type { JsonValue } from "@basis/core";
import type { OutputAttempt, OutputIssue } from "../output-result.ts";

/** What a stream tells while the answer is being written. */
export type OutputStreamEvent<T> =
  /** What is known of the answer; frozen. It only grows, until a reset. */
  | { readonly type: "partial"; readonly value: JsonValue }
  /**
   * An element of the list, whole, which fits its schema: as much of it as holds whatever the rest of the answer is
   * (behind `anyOf`, nothing). Each comes once, in order.
   */
  | { readonly type: "element"; readonly index: number; readonly value: JsonValue }
  /** An element that does not fit; the answer will be refused, the stream goes on. */
  | {
      readonly type: "invalid_element";
      readonly index: number;
      readonly value: JsonValue;
      readonly issues: readonly OutputIssue[];
    }
  /** The answer before was not accepted: another begins, and nothing told so far belongs to it. */
  | { readonly type: "reset"; readonly attempt: number }
  /** The last event. */
  | { readonly type: "result"; readonly attempt: OutputAttempt<T> };

/** A run whose answer can be watched. */
export interface OutputStream<T> extends AsyncIterable<OutputStreamEvent<T>> {
  /** Settles whatever becomes of the iteration, and never rejects; leaving the iteration early cancels the run. */
  readonly result: Promise<OutputAttempt<T>>;
}

/** How a stream is watched. */
export interface StreamOptions {
  /**
   * JSON pointer to the list whose elements are told; it must lead to a place of the schema that may be a list.
   * Default: the answer itself, where it is a list.
   */
  readonly elements?: string;
  /** Ends a reply as soon as it is certain that it will be refused; that counts as a candidate. Default false. */
  readonly stopDoomed?: boolean;
}

/** A piece of a reply, as a host gets it from its provider. */
export type ReplyDelta =
  | { readonly toolCallId: string; readonly toolName: string; readonly input: string }
  | { readonly text: string }
  /** The connection was lost and the request is sent again: nothing that came of this round's reply belongs to it. */
  | { readonly restart: true };

/** What a host does after a piece: `stop` means to end this reply, and to hand over the call as far as it came. */
export type DeltaVerdict = "continue" | "stop";
