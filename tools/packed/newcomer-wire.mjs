// A model provider in miniature, as Anthropic's messages are spoken: prose, or the tool that the request forces.
import { createServer } from "node:http";

/** @returns {Promise<{ url: string, session: string | undefined, close(): void }>} */
export async function openWire() {
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { tools = [], tool_choice: choice } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const forced = choice?.type === "tool" || choice?.type === "any";
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of eventsOf(forced ? (choice.name ?? tools[0].name) : undefined))
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/v1`,
    session: undefined,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function eventsOf(tool) {
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "any",
    content: [],
    stop_reason: null,
  };
  const block = tool
    ? { type: "tool_use", id: "toolu_1", name: tool, input: {} }
    : { type: "text", text: "" };
  const delta = tool
    ? { type: "input_json_delta", partial_json: '{"risks":["none"]}' }
    : { type: "text_delta", text: "A readme that says hello." };
  return [
    { type: "message_start", message: { ...message, usage: { input_tokens: 10, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: tool ? "tool_use" : "end_turn" },
      usage: { output_tokens: 7 },
    },
    { type: "message_stop" },
  ];
}
