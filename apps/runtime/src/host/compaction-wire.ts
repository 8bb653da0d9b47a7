import type { CompactionOutline } from "../compaction/compact-session.ts";
import { wireUsage } from "../agent/run/run-usage.ts";
import type { DoneCompaction } from "./asked-compaction.ts";

/** A compaction as it is spelled outside; `usage` once it was done. */
export function compactionWire(outline: CompactionOutline | DoneCompaction) {
  const { summarised, kept, tokensBefore, tokensAfter } = outline;
  return {
    summarised,
    kept,
    tokens_before: tokensBefore,
    tokens_after: tokensAfter,
    ...("usage" in outline && { usage: wireUsage(outline.usage) }),
  };
}
