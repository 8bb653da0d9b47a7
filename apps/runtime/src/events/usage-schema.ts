import { z } from "zod";

/** What a model round, or several, used. */
export const usage = z.strictObject({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cached_input_tokens: z.number(),
  reasoning_tokens: z.number(),
});

/** Usage of one node of the tree of runs: its own, its own with every child's, and whether all of it is known. */
export const nodeUsage = z.strictObject({ self: usage, subtree: usage, complete: z.boolean() });
