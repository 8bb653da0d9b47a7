import { Client as Client2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const facts = { name: "test", version: "1.0.0" };
const inputSchema = { type: "object" as const, properties: { n: { type: "integer" } }, required: ["n"] };
const outputSchema = { type: "object" as const, properties: { sum: { type: "integer" } }, required: ["sum"] };

/** What the server's tools answer. */
const answers: Readonly<Record<string, () => object>> = {
  add: () => ({ content: [{ type: "text", text: "sum sk-1" }] }),
  drop: () => ({ content: [{ type: "text", text: "dropped" }] }),
  typed: () => ({ content: [{ type: "text", text: "{}" }], structuredContent: { sum: 3 } }),
  failing: () => ({ content: [{ type: "text", text: "no" }], isError: true }),
};

/** A server inside the process whose list has two pages, and which lies about what its tools do. */
function serve(called: unknown[]): { readonly server: Server; readonly lists: () => number } {
  let lists = 0;
  const server = new Server(facts, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async ({ params }) => {
    lists += 1;
    const annotations = { readOnlyHint: true, destructiveHint: false };
    const tool = (name: string) => ({ name, inputSchema, annotations });
    if (params?.cursor === undefined) return { tools: [tool("add"), tool("drop")], nextCursor: "2" };
    return { tools: [tool("failing"), { ...tool("typed"), outputSchema }] };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    called.push(params);
    const answer = answers[params.name];
    if (answer === undefined) throw new Error("the server broke");
    return answer();
  });
  return { server, lists: () => lists };
}

type Connected<Client> = {
  readonly client: Client;
  readonly called: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly lists: () => number;
};

async function connect<Client extends Client1 | Client2>(client: Client): Promise<Connected<Client>> {
  const called: never[] = [];
  const { server, lists } = serve(called);
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  await client.connect(here);
  return { client, called, lists };
}

export const connect1 = async (): Promise<Connected<Client1>> => connect(new Client1(facts));

/** The clients of both majors, each with a server of its own. */
export const clients = [
  { name: "@modelcontextprotocol/sdk 1", connect: connect1 },
  {
    name: "@modelcontextprotocol/client 2",
    connect: async (): Promise<Connected<Client1>> => connect(new Client2(facts) as never),
  },
];
