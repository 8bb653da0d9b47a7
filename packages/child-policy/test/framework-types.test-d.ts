// What the bindings take and answer is each framework's own: in TypeScript, without a cast.
import { Agent, Runner, tool as agentTool } from "@openai/agents";
import * as ai6 from "ai-6";
import * as ai7 from "ai-7";
import * as langchain from "langchain";
import { z } from "zod";
import { spawnTool as spawnAiTool } from "../src/ai-sdk/index.ts";
import { createDelegationLimits } from "../src/index.ts";
import { spawnTool as spawnLangChainTool } from "../src/langchain/index.ts";
import { spawnTool as spawnAgentTool } from "../src/openai-agents/index.ts";

declare const model6: Exclude<ai6.LanguageModel, string>;
declare const model7: Exclude<ai7.LanguageModel, string>;

const schema = z.object({ path: z.string() });
const execute = async ({ path }: { path: string }): Promise<string> => path;
const delegation = {
  agentId: "main",
  runId: "run-1",
  workspaceDir: "/repo",
  limits: createDelegationLimits({ maxDepth: 1 }),
  parentTools: ["read", "write", "spawn"],
};

export function withAi6(): object {
  const read = ai6.tool({ inputSchema: schema, execute });
  const write = ai6.tool({ inputSchema: z.object({ text: z.string() }), execute: async () => 1 });
  const spawn = spawnAiTool({
    ...delegation,
    tools: () => ({ read, write }),
    run: async ({ prompt, system, tools }) =>
      (await ai6.generateText({ model: model6, prompt, system, tools })).text,
  });
  return ai6.generateText({ model: model6, prompt: "go", tools: { read, spawn } });
}

export function withAi7(): object {
  const read = ai7.tool({ inputSchema: schema, execute });
  const write = ai7.tool({ inputSchema: z.object({ text: z.string() }), execute: async () => 1 });
  const spawn = spawnAiTool({
    ...delegation,
    tools: () => ({ read, write }),
    run: async ({ prompt, system: instructions, tools }) =>
      (await ai7.generateText({ model: model7, prompt, instructions, tools })).text,
  });
  return ai7.generateText({ model: model7, prompt: "go", tools: { read, spawn } });
}

export function withOpenAiAgents(): object {
  const runner = new Runner();
  const read = agentTool({ name: "read", description: "Reads.", parameters: schema, execute });
  const spawn = spawnAgentTool({
    ...delegation,
    tools: () => [read],
    run: async ({ prompt, system: instructions, tools }) => {
      const child = new Agent({ name: "child", instructions, tools });
      return (await runner.run(child, prompt)).finalOutput;
    },
  });
  return new Agent({ name: "main", tools: [read, spawn] });
}

export function withLangChain(): object {
  const read = langchain.tool(execute, { name: "read", description: "Reads.", schema });
  const spawn = spawnLangChainTool(langchain, {
    ...delegation,
    tools: () => [read],
    run: async ({ prompt: content, system: systemPrompt, tools }) => {
      const child = langchain.createAgent({ model: "m", tools, systemPrompt });
      const { messages } = await child.invoke({ messages: [{ role: "user", content }] });
      return messages.at(-1)?.text;
    },
  });
  return langchain.createAgent({ model: "m", tools: [read, spawn] });
}
