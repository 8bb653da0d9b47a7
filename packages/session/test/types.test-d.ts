import {
  memoryStore,
  modelMessageShape,
  type ModelMessage,
  type SessionStore,
  type TranscriptShape,
} from "@mobkit/session";

/** Parts as the AI SDK declares them: interfaces, with fields that the shape doesn't name. */
interface TextPart {
  type: "text";
  text: string;
  providerOptions?: Record<string, unknown>;
}
interface ToolCallPart {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerExecuted?: boolean;
}
interface ToolResultPart {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "text"; value: string };
}
type HostMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | TextPart[] }
  | { role: "assistant"; content: string | (TextPart | ToolCallPart | ToolResultPart)[] }
  | { role: "tool"; content: ToolResultPart[] };

declare const hostMessage: HostMessage;
export const accepted: ModelMessage = hostMessage;

/** The default shape reads a host's own, narrower type, so that a store answers in that type. */
export const shape: TranscriptShape<HostMessage> = modelMessageShape;
export const narrow: SessionStore<HostMessage> = memoryStore<HostMessage>({ shape: modelMessageShape });

/** A literal may hold whatever the format holds. */
export const literal: ModelMessage = {
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: "a", toolName: "look", input: { path: "." } }],
};

/** A store with its own transaction type is a store. */
declare const withTransaction: SessionStore<ModelMessage, { run(sql: string): void }>;
export const general: SessionStore<ModelMessage> = withTransaction;

// @ts-expect-error another role is no message
export const refused: ModelMessage = { role: "bard", content: "la" };
// @ts-expect-error a store of other messages needs its shape
export const unshaped: SessionStore<{ line: string }> = memoryStore<{ line: string }>({});
