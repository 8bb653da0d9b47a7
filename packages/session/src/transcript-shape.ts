/** What a message is in the course of a conversation, whatever its format calls it. */
export type MessageKind = "system" | "user" | "assistant" | "tool";

/**
 * What a store has to know of a message. `opens` and `closes` are opaque keys, each once: a call that waits for its
 * result, or an approval that waits for its answer. What one message both opens and closes stands in neither.
 */
export interface MessageFacts {
  readonly kind: MessageKind;
  readonly opens: readonly string[];
  readonly closes: readonly string[];
  /**
   * Open calls of the provider's own that this message works for, such as a program that calls tools round by round.
   * As long as nothing else is open, the message may follow, and open something, although they wait. Default: none.
   */
  readonly within?: readonly string[] | undefined;
}

/** Why a value is no message of the shape. */
export interface InvalidMessage {
  readonly problem: string;
}

/**
 * Tells a store how to read messages of the host's own format `M`. A message must be plain JSON.
 * `name` is stored with the transcript, and a store opened with another name refuses (`shape_mismatch`).
 */
export interface TranscriptShape<M> {
  /** Stable and versioned, such as `ai-sdk/model-message@1`. */
  readonly name: string;
  /** Never throws; a value that is no message answers with its problem. */
  inspect(message: M): MessageFacts | InvalidMessage;
  /** The message with everything said in it left out: of the same kind, opening and closing the same. Default: by its fields' names. */
  redact?(message: M): unknown;
}
