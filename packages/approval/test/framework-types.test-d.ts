// What the bindings answer is what each framework takes: in TypeScript, without a cast.
import { Agent, tool as agentTool } from "@openai/agents";
import * as ai6 from "ai-6";
import * as ai7 from "ai-7";
import * as langchain from "langchain";
import { z } from "zod";
import { approveTools as approveAiTools } from "../src/ai-sdk/index.ts";
import { createApprovalGate, denyAll, memoryApprovalStore } from "../src/index.ts";
import { approvalMiddleware } from "../src/langchain/index.ts";
import { approveTools as approveAgentTools } from "../src/openai-agents/index.ts";

declare const model6: Exclude<ai6.LanguageModel, string>;
declare const model7: Exclude<ai7.LanguageModel, string>;

const store = memoryApprovalStore();
const gate = createApprovalGate({ approver: denyAll, onAsk: "park", store });
const schema = z.object({ path: z.string() });
const execute = async ({ path }: { path: string }): Promise<string> => path;

export async function withAi6(): Promise<object> {
  const tools = approveAiTools({ read: ai6.tool({ inputSchema: schema, execute }) }, gate, {
    agentId: "main",
    store,
  });
  const { content, response } = await ai6.generateText({ model: model6, tools, prompt: "go" });
  const asked = content.find(({ type }) => type === "tool-approval-request");
  const approvalId = asked?.type === "tool-approval-request" ? asked.approvalId : "";
  const messages: ai6.ModelMessage[] = [
    ...response.messages,
    { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved: true }] },
  ];
  return ai6.generateText({ model: model6, tools, messages });
}

export async function withAi7(): Promise<object> {
  const tools = approveAiTools({ read: ai7.tool({ inputSchema: schema, execute }) }, gate, {
    agentId: "main",
    store,
  });
  return ai7.generateText({ model: model7, tools, prompt: "go" });
}

export function withOpenAiAgents(): object {
  const read = agentTool({ name: "read", description: "Reads.", parameters: schema, execute });
  return new Agent({ name: "main", tools: approveAgentTools([read], gate, { agentId: "main", store }) });
}

export function withLangChain(): object {
  const read = langchain.tool(execute, { name: "read", description: "Reads.", schema });
  const facts = (): { sideEffectLevel: "none" } => ({ sideEffectLevel: "none" });
  const middleware = [approvalMiddleware(langchain, gate, { agentId: "main", facts, store })];
  return langchain.createAgent({ model: "m", tools: [read], middleware });
}
