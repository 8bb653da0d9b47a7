import type { SessionRecord, WriteResult } from "@mobkit/session";

/** Where a session's transcript ends, as far as its writer goes on from there. */
export type TranscriptEnd = Pick<WriteResult, "rev" | "len" | "digest" | "settledLen">;

/** The end that a session's record tells. */
export function endOf({ rev, len, headDigest: digest, settledLen }: SessionRecord): TranscriptEnd {
  return { rev, len, digest, settledLen };
}
