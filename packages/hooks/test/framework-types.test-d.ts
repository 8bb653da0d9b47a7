// What the bindings answer is what each framework takes: in TypeScript, without a cast.
import type Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { Agent, tool as agentTool } from "@openai/agents";
import * as ai6 from "ai-6";
import * as ai7 from "ai-7";
import * as langchain from "langchain";
import { z } from "zod";
import { guardTools as guardAiTools, refuseProviderCalls } from "../src/ai-sdk/index.ts";
import { guardTools as guardAnthropicTools } from "../src/anthropic/index.ts";
import { createHookChain } from "../src/index.ts";
import { guardMiddleware, guardTools as guardLangChainTools } from "../src/langchain/index.ts";
import { guardMcpClient } from "../src/mcp/index.ts";
import { guardAgent, guardTools as guardAgentTools } from "../src/openai-agents/index.ts";

declare const validator: Parameters<typeof guardAgentTools>[2]["validator"];
declare const anthropic: Anthropic;
declare const model6: Parameters<typeof ai6.wrapLanguageModel>[0]["model"];
declare const model7: Parameters<typeof ai7.wrapLanguageModel>[0]["model"];

const hooks = createHookChain({ workspace: "/repo", participants: [] });
const schema = z.object({ path: z.string() });
const execute = async ({ path }: { path: string }): Promise<string> => path;

export async function withAi6(): Promise<string | undefined> {
  const read = ai6.tool({ inputSchema: schema, execute });
  const tools = guardAiTools({ read }, hooks, { agentId: "main" });
  const any: ai6.ToolSet = guardAiTools<ai6.ToolSet>(tools, hooks, { agentId: "main" });
  const model = ai6.wrapLanguageModel({ model: model6, middleware: refuseProviderCalls({}) });
  await new ai6.ToolLoopAgent({ model, tools: any }).generate({ prompt: "go" });
  const { toolCalls } = await ai6.generateText({ model, tools, prompt: "go" });
  const call = toolCalls.find((each) => each.dynamic !== true && each.toolName === "read");
  return call?.input.path;
}

export async function withAi7(): Promise<string | undefined> {
  const read = ai7.tool({ inputSchema: schema, execute });
  const tools = guardAiTools({ read }, hooks, { agentId: "main" });
  const any: ai7.ToolSet = guardAiTools<ai7.ToolSet>(tools, hooks, { agentId: "main" });
  const model = ai7.wrapLanguageModel({ model: model7, middleware: refuseProviderCalls({}) });
  await new ai7.ToolLoopAgent({ model, tools: any }).generate({ prompt: "go" });
  const { toolCalls } = await ai7.generateText({ model, tools, prompt: "go" });
  const call = toolCalls.find((each) => each.dynamic !== true && each.toolName === "read");
  return call?.input.path;
}

export function withOpenAiAgents(): object {
  const read = agentTool({ name: "read", description: "Reads.", parameters: schema, execute });
  const tools = guardAgentTools([read], hooks, { agentId: "main", validator });
  return guardAgent(new Agent({ name: "main", tools }), hooks, { agentId: "main", validator });
}

export function withLangChain(): object {
  const read = langchain.tool(execute, { name: "read", description: "Reads.", schema });
  const middleware = [guardMiddleware(langchain, hooks, { agentId: "main" })];
  const tools = guardLangChainTools([read], hooks, { agentId: "main", langchain });
  return [
    langchain.createAgent({ model: "m", tools: [read], middleware }),
    langchain.createAgent({ model: "m", tools }),
  ];
}

export function withAnthropic(): object {
  const read = betaZodTool({ name: "read", description: "Reads.", inputSchema: schema, run: execute });
  const tools = guardAnthropicTools([read], hooks, { agentId: "main", validator });
  return anthropic.beta.messages.toolRunner({ model: "m", max_tokens: 9, messages: [], tools });
}

export async function withMcp(): Promise<readonly unknown[]> {
  const options = { agentId: "main", server: "files", validator };
  const clients = [
    guardMcpClient(new Client1({ name: "host", version: "1.0.0" }), hooks, options),
    guardMcpClient(new Client2({ name: "host", version: "1.0.0" }), hooks, options),
  ] as const;
  const { content } = await clients[0].callTool({ name: "read", arguments: { path: "a" } });
  return [content, (await clients[1].callTool({ name: "read" })).content];
}
