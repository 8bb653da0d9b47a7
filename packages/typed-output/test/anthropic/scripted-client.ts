import Anthropic from "@anthropic-ai/sdk";
import type { ScriptedRound } from "../../src/testing/index.ts";

/** A request as the client sends it. */
export interface SentRequest {
  readonly system?: string;
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] | string }[];
  readonly tools?: readonly {
    readonly name: string;
    readonly strict?: boolean;
    readonly input_schema: object;
  }[];
  readonly tool_choice?: { readonly type: string; readonly name?: string };
  readonly output_config?: object;
  readonly [member: string]: unknown;
}

export interface Block {
  readonly type: string;
  readonly [member: string]: unknown;
}

const stopReasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
  refusal: "refusal",
};

/** The events of a block: its start without what is written, then that in pieces of seven characters. */
function blockEvents(block: Block, index: number): object[] {
  const { type } = block;
  const start = (content_block: object) => ({ type: "content_block_start", index, content_block });
  const stop = { type: "content_block_stop", index };
  const pieces = (text: string, delta: (piece: string) => object) =>
    (text.match(/[^]{1,7}/g) ?? []).map((piece) => ({
      type: "content_block_delta",
      index,
      delta: delta(piece),
    }));
  if (type === "text") {
    const deltas = pieces(String(block["text"]), (text) => ({ type: "text_delta", text }));
    return [start({ type, text: "" }), ...deltas, stop];
  }
  if (type !== "tool_use") return [start(block), stop];
  const json = String(block["input"]);
  const deltas = pieces(json, (partial_json) => ({ type: "input_json_delta", partial_json }));
  return [start({ ...block, input: {} }), ...deltas, stop];
}

/** A round as the provider would stream it; `$output` is the terminal tool, which stands last. */
function eventsOf(round: ScriptedRound, request: SentRequest, n: number): object[] {
  const { text, calls = [], terminal, finish, usage } = round;
  const made = terminal === undefined ? calls : [...calls, { name: "$output", input: terminal }];
  const uses = made.map(({ name, input }, index): Block => ({
    type: "tool_use",
    id: `toolu_${n}_${index}`,
    name: name === "$output" ? (request.tools?.at(-1)?.name ?? "?") : name,
    input: typeof input === "string" ? input : JSON.stringify(input),
  }));
  const blocks = [...(text === undefined ? [] : [{ type: "text", text }]), ...uses];
  const reason = stopReasons[finish ?? (made.length > 0 ? "tool_calls" : "stop")];
  return streamOf(blocks, reason, usage);
}

/** The events of a whole reply. */
export function streamOf(blocks: readonly Block[], stop_reason = "end_turn", usage: object = {}): object[] {
  const { inputTokens = 5, outputTokens = 2 } = usage as { inputTokens?: number; outputTokens?: number };
  const message = { type: "message", role: "assistant", content: [], model: "m", stop_reason: null };
  return [
    {
      type: "message_start",
      message: { ...message, usage: { input_tokens: inputTokens, output_tokens: 1 } },
    },
    ...blocks.flatMap(blockEvents),
    {
      type: "message_delta",
      delta: { stop_reason },
      usage: { output_tokens: outputTokens, input_tokens: null },
    },
    { type: "message_stop" },
  ];
}

/** A client of the real SDK whose provider answers these rounds (or events as they are), and what it was asked. */
export function scriptedClient(rounds: readonly (ScriptedRound | readonly object[])[]): {
  readonly client: Anthropic;
  readonly requests: readonly SentRequest[];
} {
  const requests: SentRequest[] = [];
  const fetch = async (_url: unknown, init?: { readonly body?: unknown }): Promise<Response> => {
    const request = JSON.parse(String(init?.body)) as SentRequest;
    requests.push(request);
    const round = rounds[requests.length - 1] ?? {};
    if ("error" in round && round.error) {
      const { message, status = 400 } = round.error;
      return Response.json({ type: "error", error: { type: "invalid_request_error", message } }, { status });
    }
    const events = Array.isArray(round)
      ? (round as readonly { readonly type?: string }[])
      : eventsOf(round as ScriptedRound, request, requests.length);
    const lines = events.map(
      (event) => `event: ${String(Object(event)["type"])}\ndata: ${JSON.stringify(event)}\n\n`,
    );
    return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } });
  };
  return { client: new Anthropic({ apiKey: "none", fetch, maxRetries: 0 }), requests };
}
