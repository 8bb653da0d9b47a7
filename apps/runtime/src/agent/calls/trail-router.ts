import type { CallRecord } from "@basis/hooks";

/** Hands each record of a workspace's chain to the run whose call it is about. */
export class TrailRouter {
  readonly #waiting = new Map<string, (record: CallRecord) => void>();

  /** Hears of one call until the answer is called. */
  listen(
    call: { readonly agentId: string; readonly toolCallId: string },
    hear: (record: CallRecord) => void,
  ): () => void {
    const key = keyOf(call);
    this.#waiting.set(key, hear);
    return () => void this.#waiting.delete(key);
  }

  /** The chain's `onTrail`. */
  readonly route = (record: CallRecord): void => {
    this.#waiting.get(keyOf(record))?.(record);
  };
}

/** The length in front keeps two pairs apart whatever their texts hold. */
function keyOf({ agentId, toolCallId }: { readonly agentId: string; readonly toolCallId: string }): string {
  return `${agentId.length}:${agentId}${toolCallId}`;
}
