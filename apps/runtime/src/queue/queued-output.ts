import { digestJson } from "@basis/core";
import { defineOutput, type OutputSpec } from "@basis/typed-output";
import { QueueError } from "./queue-error.ts";
import type { QueuedOutput } from "./queued-turn.ts";

/** A typed answer by value, as it is queued. */
export function queuedOutput({ name, description, schema, keepsTools }: OutputSpec<unknown>): QueuedOutput {
  const facts = { name, description, schema, withTools: keepsTools };
  return { ...facts, digest: digestJson(facts) };
}

/**
 * The answer that was queued, compiled.
 *
 * @throws QueueError `output_mismatch` for one that is not what was queued. @throws OutputError
 */
export async function queuedSpec({ digest, ...facts }: QueuedOutput): Promise<OutputSpec<unknown>> {
  const { name, description, schema, withTools } = facts;
  const spec = defineOutput<unknown>({ name, description, schema });
  const working = withTools ? spec.withTools() : spec;
  const own = queuedOutput(working).digest;
  if (own !== digest) {
    const message = "the answer that this turn is to give is not the one that was queued: queue it anew";
    throw new QueueError("output_mismatch", message, { details: { queued: digest, found: own } });
  }
  await working.compile();
  return working;
}
