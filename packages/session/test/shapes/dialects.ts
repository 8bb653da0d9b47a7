import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import type { Anthropic } from "@anthropic-ai/sdk";
import type { OpenAI } from "openai";
import { modelMessageShape, type TranscriptShape } from "@mobkit/session";
import {
  anthropicShape,
  langChainShape,
  openAiChatShape,
  openAiResponsesShape,
} from "@mobkit/session/shapes";
import { stored } from "./langchain-fixture.ts";

/** Something that an assistant asks for: a call of the caller's tools, one that the provider has executed, or an approval. */
export interface Ask {
  readonly id: string;
  readonly what: "call" | "executed" | "approval";
}

/** Writes the same conversation in one format. `answer` writes as many results into a message as the format allows. */
export interface Dialect {
  readonly shape: TranscriptShape<never>;
  /** False where the format has no approvals: they are calls then. */
  readonly approvals: boolean;
  say(kind: "system" | "user" | "assistant", text: string): unknown;
  ask(asks: readonly Ask[]): unknown;
  answer(asks: readonly Ask[]): readonly unknown[];
}

const modelMessages: Dialect = {
  shape: modelMessageShape,
  approvals: true,
  say: (role, content) => ({ role, content }),
  ask: (asks) => ({
    role: "assistant",
    content: asks.flatMap(({ id, what }): object[] => {
      if (what === "approval") return [{ type: "tool-approval-request", approvalId: id, toolCallId: id }];
      const call = { type: "tool-call", toolCallId: id, toolName: "look", input: {} };
      return what === "call"
        ? [call]
        : [call, { ...call, type: "tool-result", output: { type: "text", value: "" } }];
    }),
  }),
  answer: (asks) => [
    {
      role: "tool",
      content: asks.map(({ id, what }) =>
        what === "approval"
          ? { type: "tool-approval-response", approvalId: id, approved: true }
          : { type: "tool-result", toolCallId: id, toolName: "look", output: { type: "text", value: "" } },
      ),
    },
  ],
};

type ChatMessage = OpenAI.Chat.ChatCompletionMessageParam;

const chatMessages: Dialect = {
  shape: openAiChatShape,
  approvals: false,
  say: (role, content): ChatMessage => ({ role, content }),
  ask: (asks): ChatMessage => ({
    role: "assistant",
    content: null,
    tool_calls: asks
      .filter(({ what }) => what !== "executed")
      .map(({ id }) => ({ id, type: "function", function: { name: "look", arguments: "{}" } })),
  }),
  answer: (asks): ChatMessage[] => asks.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "" })),
};

const responseItems: Dialect = {
  shape: openAiResponsesShape,
  approvals: true,
  say: (role, content): OpenAI.Responses.ResponseInputItem => ({ role, content }),
  ask: (asks): OpenAI.Responses.ResponseInputItem[] => [
    { type: "reasoning", id: "rs_1", summary: [] },
    ...asks.map(({ id, what }): OpenAI.Responses.ResponseInputItem => {
      if (what === "call") return { type: "function_call", call_id: id, name: "look", arguments: "{}" };
      const mcp = { id, name: "look", server_label: "mail", arguments: "{}" };
      return what === "executed" ? { ...mcp, type: "mcp_call" } : { ...mcp, type: "mcp_approval_request" };
    }),
  ],
  answer: (asks): OpenAI.Responses.ResponseInputItem[][] => [
    asks.map(({ id, what }) =>
      what === "approval"
        ? { type: "mcp_approval_response", approval_request_id: id, approve: true }
        : { type: "function_call_output", call_id: id, output: "" },
    ),
  ],
};

const anthropicMessages: Dialect = {
  shape: anthropicShape,
  approvals: false,
  say: (role, content): Anthropic.MessageParam => ({ role, content }),
  ask: (asks): Anthropic.MessageParam => ({
    role: "assistant",
    content: asks.flatMap(({ id, what }): Anthropic.ContentBlockParam[] => {
      if (what !== "executed") return [{ type: "tool_use", id, name: "look", input: {} }];
      return [
        { type: "server_tool_use", id, name: "web_search", input: {} },
        { type: "web_search_tool_result", tool_use_id: id, content: [] },
      ];
    }),
  }),
  answer: (asks): Anthropic.MessageParam[] => [
    { role: "user", content: asks.map(({ id }) => ({ type: "tool_result", tool_use_id: id })) },
  ],
};

const langChain = (form: (message: BaseMessage) => unknown): Dialect => ({
  shape: langChainShape,
  approvals: true,
  say: (kind, text) => {
    const make = { system: SystemMessage, user: HumanMessage, assistant: AIMessage }[kind];
    return form(new make(text));
  },
  ask: (asks) =>
    form(
      new AIMessage({
        content: asks
          .filter(({ what }) => what === "executed")
          .flatMap(({ id }) => [
            { type: "server_tool_call", id, name: "search", args: {} },
            { type: "server_tool_call_result", toolCallId: id, status: "success", output: {} },
          ]),
        tool_calls: asks
          .filter(({ what }) => what === "call")
          .map(({ id }) => ({ type: "tool_call", id, name: "look", args: {} })),
        additional_kwargs: {
          tool_outputs: asks
            .filter(({ what }) => what === "approval")
            .map(({ id }) => ({ type: "mcp_approval_request", id })),
        },
      }),
    ),
  answer: (asks) =>
    asks.map(({ id, what }) =>
      form(
        what === "approval"
          ? new HumanMessage({
              content: [{ type: "mcp_approval_response", approval_request_id: id, approve: true }],
            })
          : new ToolMessage({ tool_call_id: id, content: "" }),
      ),
    ),
});

/** Every format that a shape ships for, by name. */
export const dialects: readonly (readonly [string, Dialect])[] = [
  ["the AI SDK's messages", modelMessages],
  ["OpenAI's chat messages", chatMessages],
  ["OpenAI's response items", responseItems],
  ["Anthropic's messages", anthropicMessages],
  ["LangChain's stored messages", langChain((message) => stored([message])[0])],
  ["LangChain's serialised messages", langChain((message) => JSON.parse(JSON.stringify(message)))],
];
