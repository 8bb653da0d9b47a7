import Instructor from "@instructor-ai/instructor";
import { z } from "zod";
import { NAME, PROMPT, subjectOf, USAGE, zodSchema } from "./scene.mjs";

/** instructor in tool mode, on a client that replies at once; it asks again by itself. */
export function open(variant) {
  // It writes a line for each rejection; writing is not what is measured.
  console.warn = () => undefined;
  console.log = () => undefined;
  let waiting = [];
  const completions = { create: async () => completionOf(waiting.shift()) };
  const client = Instructor({
    client: { baseURL: "https://api.openai.com/v1", chat: { completions } },
    mode: "TOOLS",
  });
  const schema = zodSchema(z);
  const ask = (replies) => {
    waiting = [...replies];
    return client.chat.completions.create({
      model: "model",
      messages: [{ role: "user", content: PROMPT }],
      response_model: { schema, name: NAME },
      max_retries: 3,
    });
  };
  return subjectOf(ask, variant);
}

function completionOf(text) {
  const call = { id: "call-1", type: "function", function: { name: NAME, arguments: text } };
  const message = { role: "assistant", content: null, tool_calls: [call] };
  const usage = {
    prompt_tokens: USAGE.input,
    completion_tokens: USAGE.output,
    total_tokens: USAGE.input + USAGE.output,
  };
  return {
    id: "x",
    object: "chat.completion",
    created: 1,
    model: "model",
    choices: [{ index: 0, finish_reason: "tool_calls", message }],
    usage,
  };
}
