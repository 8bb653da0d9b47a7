import type { OpenAI } from "openai";
import { said, type Said } from "./transcript.ts";

type Param = OpenAI.Chat.ChatCompletionMessageParam;

const look = (id: string): OpenAI.Chat.ChatCompletionMessageToolCall => ({
  id,
  type: "function",
  function: { name: "look", arguments: '{"path":"."}' },
});

/** A conversation as it is sent: developer text, an image, parallel calls, a custom tool, a refusal, a result that is an error. */
export const chatTranscript: readonly Said<Param>[] = [
  said({ role: "developer", content: "Answer briefly." }),
  said({ role: "system", content: [{ type: "text", text: "Be kind." }] }),
  said({
    role: "user",
    name: "ada",
    content: [
      { type: "text", text: "What is on it?" },
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" } },
      { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
    ],
  }),
  said(
    {
      role: "assistant",
      content: null,
      tool_calls: [
        look("c1"),
        look("c2"),
        { id: "c3", type: "custom", custom: { name: "sql", input: "select 1" } },
      ],
    },
    "call:c1",
    "call:c2",
    "call:c3",
  ),
  said({ role: "tool", tool_call_id: "c2", content: "two" }, "call:c1", "call:c3"),
  said({ role: "tool", tool_call_id: "c1", content: "Error: no such file" }, "call:c3"),
  said({ role: "tool", tool_call_id: "c3", content: [{ type: "text", text: "" }] }),
  said({ role: "assistant", content: [{ type: "refusal", refusal: "I can't read that." }] }),
  said({ role: "assistant", refusal: "I can't read that." }),
  said({ role: "user", content: "" }),
];

/** The calls of the time before tool calls. */
export const functionTranscript: readonly Said<Param>[] = [
  said({ role: "user", content: "Weather?" }),
  said(
    { role: "assistant", content: null, function_call: { name: "weather", arguments: "{}" } },
    "function:weather",
  ),
  said({ role: "function", name: "weather", content: null }),
  said(
    { role: "assistant", content: "Again.", function_call: { name: "weather", arguments: "{}" } },
    "function:weather",
  ),
  said({ role: "function", name: "weather", content: "sun" }),
  said({ role: "assistant", content: "Sun." }),
];

/** The messages of answers as the API sends them, with every field that it fills. */
export const chatAnswers: readonly Said<OpenAI.Chat.ChatCompletionMessage>[] = [
  said({ role: "assistant", content: "", refusal: null, annotations: [] }),
  said({ role: "assistant", content: null, refusal: "No.", annotations: [] }),
  said({
    role: "assistant",
    content: null,
    refusal: null,
    audio: { id: "audio_1", data: "AAAA", expires_at: 1_900_000_000, transcript: "Hello." },
  }),
  said({ role: "assistant", content: null, refusal: null, tool_calls: [look("call_9xK")] }, "call:call_9xK"),
];
