import { z } from "zod";
import { place } from "./place-schema.ts";
import { usage } from "./usage-schema.ts";

/** Why a session is compacted: somebody asked, its requests pass a set size, or the provider refused one for its length. */
const trigger = z.enum(["asked", "threshold", "context_length"]);

/** The data of the events of compactions. */
export const compactionData = {
  /** `messages` and about how many `tokens` a request takes now. */
  compaction_started: z.strictObject({ trigger, messages: z.number(), tokens: z.number() }),
  /** From now on requests begin with the row: it stands for the first `summarised` messages; `kept` others stayed. */
  compaction_finished: z.strictObject({
    ...place,
    summarised: z.number(),
    kept: z.number(),
    tokens_before: z.number(),
    tokens_after: z.number(),
    /** What writing the summary took; absent where the log was completed from the transcript. */
    usage: usage.optional(),
    text: z.string(),
  }),
  /** The session is as it was. */
  compaction_failed: z.strictObject({ trigger, code: z.string(), message: z.string(), usage }),
};
