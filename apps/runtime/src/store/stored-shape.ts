import { modelMessageShape, type TranscriptShape } from "@mobkit/session";
import type { ModelMessage } from "../providers/model.ts";
import { summaryFacts, summaryOptions } from "../providers/summary-message.ts";

/** How this host's messages are read, in every kind of store. A summary that is redacted whole stays one. */
export const storedShape: TranscriptShape<ModelMessage> = Object.freeze({
  ...modelMessageShape,
  redact: redacted,
});

function redacted(message: ModelMessage): ModelMessage {
  const { role, content } = modelMessageShape.redact!(message) as ModelMessage;
  const facts = summaryFacts(message);
  return { role, content, ...(facts && { providerOptions: summaryOptions(facts) }) } as ModelMessage;
}
