import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk";
import { readArguments } from "../agent/calls/queued-call.ts";
import { callsOf, textOf } from "../agent/transcript/tool-message.ts";
import { plainOutput } from "../providers/plain-output.ts";
import { imageTypeOf } from "../images/image-type.ts";
import { blobOf } from "../images/kept-image.ts";
import type {
  AssistantMessage,
  BlobReader,
  FilePart,
  ModelMessage,
  ToolMessage,
  UserMessage,
} from "../providers/model.ts";
import { summaryFacts } from "../providers/summary-message.ts";
import type { Tool } from "../tools/tool.ts";
import { textContent, viewTool } from "./tool-view.ts";
import { chunk } from "./turn-updates.ts";

/** Where a transcript belongs. */
export interface TranscriptPlace {
  readonly root: string;
  tool(name: string): Tool | undefined;
  readonly blobs: BlobReader;
}

/** A stored message as the updates that told of it when it came. */
export async function transcriptUpdates(
  message: ModelMessage,
  place: TranscriptPlace,
): Promise<readonly SessionUpdate[]> {
  switch (message.role) {
    case "user":
      return userUpdates(message, place);
    case "assistant":
      return assistantUpdates(message, place);
    case "tool":
      return resultUpdates(message);
    default:
      return [];
  }
}

async function userUpdates(
  message: UserMessage,
  { blobs }: TranscriptPlace,
): Promise<readonly SessionUpdate[]> {
  const { content } = message;
  if (typeof content === "string")
    return [chunk(summaryFacts(message) ? "agent_thought_chunk" : "user_message_chunk", content)];
  const updates: SessionUpdate[] = [];
  for (const part of content) {
    const image = part.type === "file" ? await shownImage(part, blobs) : undefined;
    if (image === undefined)
      updates.push(chunk("user_message_chunk", part.type === "text" ? part.text : `[${part.mediaType}]`));
    else updates.push({ sessionUpdate: "user_message_chunk", content: image });
  }
  return updates;
}

/** What the bytes are, whatever the message calls them. */
async function shownImage({ data }: FilePart, blobs: BlobReader): Promise<ContentBlock | undefined> {
  const digest = blobOf(data);
  const bytes = digest === undefined ? undefined : await blobs.get(digest);
  const mimeType = bytes && imageTypeOf(bytes);
  return mimeType && { type: "image", mimeType, data: Buffer.from(bytes).toString("base64") };
}

function assistantUpdates(
  message: AssistantMessage,
  { root, tool }: TranscriptPlace,
): readonly SessionUpdate[] {
  const thought =
    typeof message.content === "string"
      ? ""
      : message.content.map((part) => (part.type === "reasoning" ? part.text : "")).join("");
  const text = textOf(message);
  const calls = callsOf(message).map(({ toolCallId, toolName: name, inputJson }): SessionUpdate => {
    const input = readArguments(inputJson);
    const known = tool(name);
    const view = viewTool({ name, input, effect: known?.effectOf?.(input) ?? known?.effect, root });
    return { sessionUpdate: "tool_call", toolCallId, ...view, status: "pending", rawInput: input };
  });
  return [
    ...(thought === "" ? [] : [chunk("agent_thought_chunk", thought)]),
    ...(text === "" ? [] : [chunk("agent_message_chunk", text)]),
    ...calls,
  ];
}

function resultUpdates({ content }: ToolMessage): readonly SessionUpdate[] {
  return content.map(({ toolCallId, output }) => ({
    sessionUpdate: "tool_call_update",
    toolCallId,
    status: output.type.startsWith("error") ? "failed" : "completed",
    content: textContent(plainOutput(output)),
    rawOutput: plainOutput(output),
  }));
}
