import { createRequire } from "node:module";
import { own, repository } from "../../harness/places.mjs";
import { callOf, guardsOf } from "./guards.mjs";

// The frameworks that the bindings are tested with, as the workspace installed them.
const load = createRequire(`${repository}packages/hooks/package.json`);

/** One call of a tool of a framework, as that calls it: as it is, or with the chain around it. */
export async function open(variant) {
  const { createHookChain } = await own("packages/hooks/dist/index.js");
  const { interpretingValidator } = await own("packages/typed-output/dist/interpreter/index.js");
  const chain = createHookChain({ workspace: "/w", participants: guardsOf(variant) });
  const options = { agentId: "main", validator: interpretingValidator() };
  const binding = await own(`packages/hooks/dist/${variant.framework}/index.js`);
  const ask = await frameworks[variant.framework]({ binding, chain, options, bare: variant.bare === true });
  if (!JSON.stringify(await ask()).includes("read")) throw new Error("was not allowed");
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) await ask();
    },
  };
}

const input = JSON.parse(callOf({}).inputJson);
const schema = {
  type: "object",
  properties: { path: { type: "string" }, from: { type: "integer" }, lines: { type: "integer" } },
  required: ["path", "from", "lines"],
  additionalProperties: false,
};

const frameworks = {
  async "openai-agents"({ binding, chain, options, bare }) {
    const { tool, RunContext } = load("@openai/agents");
    const definition = {
      name: "read",
      description: "Reads.",
      parameters: schema,
      execute: async () => "read",
    };
    const [read] = guarded([tool(definition)], { binding, chain, options, bare });
    const [context, text] = [new RunContext(), JSON.stringify(input)];
    return () => read.invoke(context, text, { toolCall: { callId: "call-1", arguments: text } });
  },
  async langchain({ binding, chain, options, bare }) {
    const langchain = load("langchain");
    const tools = [langchain.tool(async () => "read", { name: "read", description: "Reads.", schema })];
    const [read] = guarded(tools, { binding, chain, options: { ...options, langchain }, bare });
    return () => read.invoke({ type: "tool_call", name: "read", args: input, id: "call-1" });
  },
  async anthropic({ binding, chain, options, bare }) {
    const { betaTool } = load("@anthropic-ai/sdk/helpers/beta/json-schema");
    const definition = { name: "read", description: "Reads.", inputSchema: schema, run: async () => "read" };
    const [read] = guarded([betaTool(definition)], { binding, chain, options, bare });
    const toolUse = { type: "tool_use", id: "call-1", name: "read", input };
    return () => read.run(read.parse(input), { toolUse, toolUseBlock: toolUse });
  },
  async mcp({ binding, chain, options, bare }) {
    const client = await connected();
    const { callTool } = bare
      ? { callTool: (call) => client.callTool(call) }
      : binding.guardMcpClient(client, chain, { ...options, server: "files" });
    return () => callTool({ name: "read", arguments: input });
  },
};

function guarded(tools, { binding, chain, options, bare }) {
  return bare ? tools : binding.guardTools(tools, chain, options);
}

/** A client on a server in this process, without a wire between them. */
async function connected() {
  const { Client } = load("@modelcontextprotocol/sdk/client/index.js");
  const { InMemoryTransport } = load("@modelcontextprotocol/sdk/inMemory.js");
  const { Server } = load("@modelcontextprotocol/sdk/server/index.js");
  const { CallToolRequestSchema, ListToolsRequestSchema } = load("@modelcontextprotocol/sdk/types.js");
  const facts = { name: "files", version: "1.0.0" };
  const server = new Server(facts, { capabilities: { tools: {} } });
  const tools = [{ name: "read", inputSchema: schema }];
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools }));
  const result = { content: [{ type: "text", text: "read" }] };
  server.setRequestHandler(CallToolRequestSchema, async () => result);
  const client = new Client(facts);
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  return client;
}
