import { redactModelMessage } from "./redact-model-message.ts";
import type { InvalidMessage, MessageFacts, TranscriptShape } from "./transcript-shape.ts";

/** A part of a message's content; only what opens or closes something is looked at. */
export type ModelMessagePart = KnownPart | (KnownPart & { readonly [field: string]: unknown });

interface KnownPart {
  readonly type: string;
  readonly toolCallId?: string;
  readonly approvalId?: string;
}

/** The AI SDK's ModelMessage as far as a transcript reads it; the SDK's own type is assignable to it. */
export interface ModelMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly ModelMessagePart[];
  readonly providerOptions?: unknown;
}

/** Keys of approvals stand apart from keys of calls. */
const APPROVAL = "approval:";
const CALL = "call:";

/**
 * Reads the AI SDK's messages. An assistant's `tool-call` opens the key `call:` and its `toolCallId`, a
 * `tool-approval-request` the key `approval:` and its `approvalId`; `tool-result` and `tool-approval-response`, in a tool message or (when the provider executed the call)
 * in an assistant message, close them. A tool message may hold several results.
 *
 * Source: AI SDK 5 to 7, `ModelMessage` of `@ai-sdk/provider-utils`.
 */
export const modelMessageShape: TranscriptShape<ModelMessage> = Object.freeze({
  name: "ai-sdk/model-message@1",
  inspect: inspectModelMessage,
  redact: redactModelMessage,
});

function inspectModelMessage(message: ModelMessage): MessageFacts | InvalidMessage {
  const { role, content } = (message ?? {}) as Partial<ModelMessage>;
  if (role !== "system" && role !== "user" && role !== "assistant" && role !== "tool") {
    return { problem: "role is none of system, user, assistant, tool" };
  }
  if (typeof content === "string") {
    if (role === "tool") return { problem: "a tool message holds no result" };
    return { kind: role, opens: [], closes: [] };
  }
  if (!Array.isArray(content)) return { problem: "content is neither a text nor a list of parts" };
  if (role === "system") return { problem: "a system message holds a text" };
  return readParts(role, content);
}

function readParts(
  kind: "user" | "assistant" | "tool",
  content: readonly ModelMessagePart[],
): MessageFacts | InvalidMessage {
  const opened: string[] = [];
  const closed: string[] = [];
  for (let index = 0; index < content.length; index += 1) {
    const part = content[index]!;
    const mark = readPart(part);
    if (mark === undefined) continue;
    if ("problem" in mark) return { problem: `content/${index}: ${mark.problem}` };
    if (!allows(kind, mark)) return { problem: `content/${index}: a ${kind} message holds no ${part.type}` };
    (mark.opens ? opened : closed).push(mark.key);
  }
  if (kind === "tool" && closed.length === 0) return { problem: "a tool message holds no result" };
  if (opened.length + closed.length < 2) return { kind, opens: opened, closes: closed };
  const opens = new Set(opened);
  const closes = new Set(closed);
  if (opens.size < opened.length || closes.size < closed.length) return repeatedMark(content);
  return {
    kind,
    opens: opened.filter((key) => !closes.has(key)),
    closes: closed.filter((key) => !opens.has(key)),
  };
}

/** Names the first mark that stands a second time. */
function repeatedMark(content: readonly ModelMessagePart[]): InvalidMessage {
  const marks = content.map((part) => readPart(part) as Mark | undefined);
  const seen = new Set<string>();
  const index = marks.findIndex(
    (mark) => mark !== undefined && seen.size === seen.add(`${mark.opens} ${mark.key}`).size,
  );
  return { problem: `content/${index}: ${marks[index]?.key} stands twice` };
}

interface Mark {
  readonly key: string;
  readonly opens: boolean;
}

function readPart(part: ModelMessagePart): Mark | InvalidMessage | undefined {
  if (typeof part !== "object" || part === null || typeof part.type !== "string") {
    return { problem: "a part is an object with a type" };
  }
  switch (part.type) {
    case "tool-call":
      return markOf(CALL, part.toolCallId, true);
    case "tool-result":
      return markOf(CALL, part.toolCallId, false);
    case "tool-approval-request":
      return markOf(APPROVAL, part.approvalId, true);
    case "tool-approval-response":
      return markOf(APPROVAL, part.approvalId, false);
    default:
      return undefined;
  }
}

function markOf(prefix: string, id: unknown, opens: boolean): Mark | InvalidMessage {
  if (typeof id === "string" && id !== "") return { key: prefix + id, opens };
  return { problem: prefix === CALL ? "toolCallId is missing" : "approvalId is missing" };
}

function allows(kind: "user" | "assistant" | "tool", mark: Mark): boolean {
  if (kind === "assistant") return mark.opens || mark.key.startsWith(CALL);
  return kind === "tool" && !mark.opens;
}
