import type { Anthropic } from "@anthropic-ai/sdk";
import { said, type Said } from "./transcript.ts";

type Param = Anthropic.MessageParam;
type Beta = Anthropic.Beta.BetaMessageParam;

const use = (id: string): Anthropic.ToolUseBlockParam => ({
  type: "tool_use",
  id,
  name: "look",
  input: { path: "." },
});

/** Thinking, an image, parallel calls, results together and one by one, an error, an empty answer. */
export const toolTranscript: readonly Said<Param>[] = [
  said({ role: "system", content: "Be kind." }),
  said({
    role: "user",
    content: [
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
      { type: "text", text: "What is on it?", cache_control: { type: "ephemeral" } },
    ],
  }),
  said(
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Let me look.", signature: "EqQBCgIYAg==" },
        { type: "redacted_thinking", data: "EmwKAhgB" },
        { type: "text", text: "I look." },
        use("toolu_1"),
        use("toolu_2"),
      ],
    },
    "call:toolu_1",
    "call:toolu_2",
  ),
  said({
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "toolu_2", content: [{ type: "text", text: "a cat" }] },
      { type: "tool_result", tool_use_id: "toolu_1", is_error: true, content: "no such file" },
      { type: "text", text: "Go on." },
    ],
  }),
  said({ role: "assistant", content: [use("toolu_3"), use("toolu_4")] }, "call:toolu_3", "call:toolu_4"),
  said({ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_3" }] }, "call:toolu_4"),
  said({ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_4" }] }),
  said({ role: "assistant", content: [] }),
  said({ role: "user", content: "Thanks." }),
];

const search: Anthropic.ServerToolUseBlockParam = {
  type: "server_tool_use",
  id: "srvtoolu_1",
  name: "web_search",
  input: { query: "cats" },
};

const found: Anthropic.WebSearchToolResultBlockParam = {
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: [
    {
      type: "web_search_result",
      url: "https://cats.example",
      title: "Cats",
      encrypted_content: "EqgfCioIARgB",
    },
  ],
};

/** A search that the provider ran at once, one that it paused at, and a program of its own that calls a tool twice. */
export const serverTranscript: readonly Said<Param>[] = [
  said({ role: "user", content: "Look for cats." }),
  said({ role: "assistant", content: [search, found, { type: "text", text: "Cats." }] }),
  said({ role: "user", content: "Again." }),
  said({ role: "assistant", content: [{ ...search, id: "srvtoolu_2" }] }, "call:srvtoolu_2"),
  said({
    role: "assistant",
    content: [
      {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_2",
        content: { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" },
      },
      { type: "text", text: "None." },
    ],
  }),
  said({ role: "user", content: "Count them." }),
  said(
    {
      role: "assistant",
      content: [
        {
          type: "server_tool_use",
          id: "srvtoolu_3",
          name: "code_execution",
          input: { code: "await look()" },
        },
        { ...use("toolu_5"), caller: { type: "code_execution_20250825", tool_id: "srvtoolu_3" } },
      ],
    },
    "call:srvtoolu_3",
    "call:toolu_5",
  ),
  said({ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_5" }] }, "call:srvtoolu_3"),
  said(
    {
      role: "assistant",
      content: [{ ...use("toolu_6"), caller: { type: "code_execution_20250825", tool_id: "srvtoolu_3" } }],
    },
    "call:srvtoolu_3",
    "call:toolu_6",
  ),
  said({ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_6" }] }, "call:srvtoolu_3"),
  said({
    role: "assistant",
    content: [
      {
        type: "code_execution_tool_result",
        tool_use_id: "srvtoolu_3",
        content: { type: "code_execution_result", stdout: "2", stderr: "", return_code: 0, content: [] },
      },
      { type: "text", text: "Two." },
    ],
  }),
];

/** A server's MCP tool, as the beta API answers it, and a change of its settings. */
export const betaTranscript: readonly Said<Beta>[] = [
  said({ role: "system", output_config: { effort: "low" } }),
  said({
    role: "assistant",
    content: [
      { type: "mcp_tool_use", id: "mcptoolu_1", name: "echo", server_name: "echo", input: {} },
      {
        type: "mcp_tool_result",
        tool_use_id: "mcptoolu_1",
        is_error: false,
        content: [{ type: "text", text: "hi" }],
      },
    ],
  }),
];

/** An answer as the API sends it, with every field that it fills. */
export const answer: Anthropic.Message = {
  id: "msg_01",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
  container: null,
  diagnostics: null,
  content: [
    { type: "text", text: "I look.", citations: null },
    { type: "tool_use", id: "toolu_7", name: "look", input: {}, caller: { type: "direct" } },
  ],
  stop_reason: "tool_use",
  stop_sequence: null,
  stop_details: null,
  usage: {
    input_tokens: 10,
    output_tokens: 5,
    cache_creation: null,
    cache_creation_input_tokens: null,
    cache_read_input_tokens: null,
    inference_geo: null,
    server_tool_use: null,
    service_tier: "standard",
    output_tokens_details: null,
    speed: null,
  },
};
