import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import type { LangChainMessage } from "@mobkit/session/shapes";
import { said, type Said } from "./transcript.ts";

const look = (id: string) => ({ type: "tool_call" as const, id, name: "look", args: { path: "." } });

const raw = (id: string) => ({
  id,
  type: "function" as const,
  function: { name: "look", arguments: '{"path":' },
});

/** An answer with one call that is no JSON, as @langchain/openai makes it: the constructor would try to parse it again. */
function unparsed(call: ReturnType<typeof raw>): AIMessage {
  const { id, function: called } = call;
  const invalid = {
    type: "invalid_tool_call" as const,
    id,
    name: called.name,
    args: called.arguments,
    error: "no JSON",
  };
  const message = new AIMessage({ content: "", tool_calls: [], invalid_tool_calls: [invalid] });
  message.additional_kwargs = { tool_calls: [call] };
  message.lc_kwargs["additional_kwargs"] = message.additional_kwargs;
  return message;
}

/** Live messages: an image, parallel calls, an error, a chunk, roles of the user's own, the functions of old. */
export const toolTranscript: readonly Said<BaseMessage>[] = [
  said(new SystemMessage("Be kind.")),
  said(
    new HumanMessage({
      id: "h1",
      content: [{ type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }],
    }),
  ),
  said(
    new AIMessage({
      id: "run-1",
      content: [
        { type: "thinking", thinking: "Let me look.", signature: "EqQBCgIYAg==" },
        { type: "text", text: "I look." },
        { type: "tool_use", id: "c1", name: "look", input: { path: "." } },
        { type: "tool_use", id: "c2", name: "look", input: { path: "." } },
      ],
      tool_calls: [look("c1"), look("c2")],
    }),
    "call:c1",
    "call:c2",
  ),
  said(
    new ToolMessage({ tool_call_id: "c2", name: "look", content: "a cat", artifact: { bytes: 3 } }),
    "call:c1",
  ),
  said(
    new ToolMessage({ tool_call_id: "c1", name: "look", status: "error", content: "Error: no such file" }),
  ),
  said(
    new AIMessageChunk({
      content: "",
      tool_call_chunks: [{ type: "tool_call_chunk", id: "c3", name: "look", args: '{"path":"."}', index: 0 }],
    }),
    "call:c3",
  ),
  said(new ToolMessage({ tool_call_id: "c3", content: "" })),
  said(new ChatMessage("What do you think?", "critic")),
  said(
    new AIMessage({
      content: "",
      additional_kwargs: { function_call: { name: "weather", arguments: "{}" } },
    }),
    "function:weather",
  ),
  said(new FunctionMessage({ name: "weather", content: "sun" })),
  said(new AIMessage("")),
];

/** Calls whose arguments are no JSON: alone they go back to the provider as they came, beside others they don't. */
export const invalidTranscript: readonly Said<BaseMessage>[] = [
  said(unparsed(raw("c1")), "call:c1"),
  said(new ToolMessage({ tool_call_id: "c1", status: "error", content: "Error: the arguments are no JSON" })),
  said(
    new AIMessage({
      content: "",
      additional_kwargs: { tool_calls: [raw("c2"), raw("c3")] },
      tool_calls: [look("c2")],
      invalid_tool_calls: [
        { type: "invalid_tool_call", id: "c3", name: "look", args: '{"path":', error: "no JSON" },
      ],
    }),
    "call:c2",
  ),
  said(new ToolMessage({ tool_call_id: "c2", content: "a cat" })),
  said(
    new AIMessage({
      content: "I can't call that.",
      invalid_tool_calls: [
        { type: "invalid_tool_call", id: "c4", name: "look", args: "{", error: "no JSON" },
      ],
    }),
  ),
];

/** What providers execute, in their own blocks and in LangChain's, and an approval of an MCP call. */
export const providerTranscript: readonly Said<BaseMessage>[] = [
  said(
    new AIMessage({
      content: [
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
        { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
        { type: "text", text: "Cats." },
      ],
    }),
  ),
  said(
    new AIMessage({
      contentBlocks: [
        { type: "server_tool_call", id: "ws_1", name: "web_search", args: {} },
        { type: "server_tool_call_result", toolCallId: "ws_1", status: "success", output: {} },
        { type: "tool_call", id: "c1", name: "look", args: {} },
      ],
    }),
    "call:c1",
  ),
  said(new ToolMessage({ tool_call_id: "c1", content: "a cat" })),
  said(
    new AIMessage({
      content: "",
      additional_kwargs: {
        tool_outputs: [
          { type: "web_search_call", id: "ws_2", status: "completed" },
          { type: "mcp_approval_request", id: "mcpr_1", name: "send", server_label: "mail", arguments: "{}" },
        ],
      },
    }),
    "approval:mcpr_1",
  ),
  said(
    new HumanMessage({
      content: [{ type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true }],
    }),
  ),
];

/** The messages as LangChain stores them. */
export function stored(messages: readonly BaseMessage[]): LangChainMessage[] {
  return mapChatMessagesToStoredMessages([...messages]);
}

/** The messages as JSON writes them. */
export function serialised(messages: readonly BaseMessage[]): LangChainMessage[] {
  return JSON.parse(JSON.stringify(messages)) as LangChainMessage[];
}
