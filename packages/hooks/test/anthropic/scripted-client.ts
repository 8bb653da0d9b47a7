import Anthropic from "@anthropic-ai/sdk";

export interface Call {
  readonly name: string;
  readonly input: unknown;
}

/** What the model read of a call. */
export interface ReadResult {
  readonly content: unknown;
  readonly is_error?: boolean;
}

interface Sent {
  readonly messages: readonly { readonly content: readonly ReadResult[] }[];
}

/** A client whose model asks for `calls` at once and then stops; `read` are the results that it was sent. */
export function scriptedClient(calls: readonly Call[]): {
  readonly client: Anthropic;
  read(): readonly unknown[];
} {
  const sent: Sent[] = [];
  const uses = calls.map((call, index) => ({ type: "tool_use", id: `toolu_${index + 1}`, ...call }));
  const fetch = async (_url: unknown, init?: { readonly body?: unknown }): Promise<Response> => {
    sent.push(JSON.parse(String(init?.body)) as Sent);
    const isCalling = sent.length === 1;
    const message = {
      id: `msg_${sent.length}`,
      type: "message",
      role: "assistant",
      model: "scripted",
      content: isCalling ? uses : [{ type: "text", text: "done" }],
      stop_reason: isCalling ? "tool_use" : "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    return Response.json(message);
  };
  const client = new Anthropic({ apiKey: "none", fetch, maxRetries: 0 });
  const read = () =>
    (sent[1]?.messages.at(-1)?.content ?? []).map(({ content, is_error: isError }) =>
      isError ? { error: content } : content,
    );
  return { client, read };
}

export const request = {
  model: "scripted",
  max_tokens: 100,
  messages: [{ role: "user" as const, content: "go" }],
};
