import { emptyUsage, type TokenUsage } from "@basis/core";
import type { SessionWriter } from "../transcript/session-writer.ts";

/** Counts what a failed request used. Its own failure stands over one of the store, which the next write meets again. */
export async function keepUsage(
  writer: Pick<SessionWriter, "update">,
  usage: TokenUsage | undefined,
): Promise<void> {
  if (usage === undefined || usage === emptyUsage) return;
  try {
    await writer.update({ usage });
  } catch {
    // met again
  }
}
