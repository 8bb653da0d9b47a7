import type { MCPTransport } from "@ai-sdk/mcp";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

/** An MCP server inside the process: its tools answer one text each. */
export function memoryServer(
  tools: Readonly<Record<string, { readonly schema: object; readonly text: string }>>,
): {
  readonly transport: MCPTransport;
  readonly called: string[];
} {
  const called: string[] = [];
  const answers: Readonly<Record<string, (params: Message["params"]) => object>> = {
    initialize: () => ({
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "memory", version: "1.0.0" },
    }),
    "tools/list": () => ({
      tools: Object.entries(tools).map(([name, { schema }]) => ({
        name,
        description: name,
        inputSchema: schema,
      })),
    }),
    "tools/call": ({ name = "" } = {}) => {
      called.push(name);
      return { content: [{ type: "text", text: tools[name]!.text }], isError: false };
    },
  };
  const transport: MCPTransport = {
    start: async () => undefined,
    close: async () => transport.onclose?.(),
    async send(sent) {
      const { id, method = "", params } = sent as Message;
      const answer = answers[method];
      if (id !== undefined && answer)
        transport.onmessage?.({ jsonrpc: "2.0", id, result: answer(params) } as never);
    },
  };
  return { transport, called };
}
