import { modelMessageShape, type TranscriptShape } from "@mobkit/session";
import type { ModelMessage } from "../providers/model.ts";

/** How this host's messages are read, in every kind of store. */
export const storedShape: TranscriptShape<ModelMessage> = modelMessageShape;
