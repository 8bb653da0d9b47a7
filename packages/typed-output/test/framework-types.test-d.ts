// What the bindings take is each framework's own: in TypeScript, without a cast.
import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { Client as Client2 } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { RunContext, tool as agentTool, type AgentInputItem, type Model } from "@openai/agents";
import * as ai6 from "ai-6";
import * as ai7 from "ai-7";
import * as langchain from "langchain";
import { z } from "zod";
import { aiSdkRunner } from "../src/ai-sdk/index.ts";
import { anthropicRunner } from "../src/anthropic/index.ts";
import { defineOutput, runOutput, type TurnRunner } from "../src/index.ts";
import { langchainRunner } from "../src/langchain/index.ts";
import { specOfTool, toolOutput } from "../src/mcp/index.ts";
import { openAiAgentsRunner } from "../src/openai-agents/index.ts";

declare const model6: Parameters<typeof ai6.wrapLanguageModel>[0]["model"];
declare const model7: Parameters<typeof ai7.wrapLanguageModel>[0]["model"];
declare const agentModel: Model;

const answer = z.object({ verdict: z.enum(["fine", "broken"]) });
const spec = defineOutput({ name: "verdict", description: "The verdict.", schema: answer }).withTools();
const schema = z.object({ path: z.string() });
const execute = async ({ path }: { path: string }): Promise<string> => path;

export async function answered(runner: TurnRunner): Promise<"fine" | "broken" | undefined> {
  const attempt = await runOutput(runner, spec, "go");
  return attempt.status === "accepted" ? attempt.value.verdict : undefined;
}

export const withAi6 = (): TurnRunner =>
  aiSdkRunner({ model: model6, tools: { read: ai6.tool({ inputSchema: schema, execute }) } });

export const withAi7 = (): TurnRunner =>
  aiSdkRunner({ model: model7, tools: { read: ai7.tool({ inputSchema: schema, execute }) } });

export function withOpenAiAgents(): TurnRunner {
  const items: AgentInputItem[] = [];
  const read = agentTool({ name: "read", description: "Reads.", parameters: schema, execute });
  return openAiAgentsRunner({
    model: agentModel,
    modelId: "m",
    tools: [read],
    items,
    runContext: new RunContext(),
  });
}

export function withLangChain(): TurnRunner {
  const read = langchain.tool(execute, { name: "read", description: "Reads.", schema });
  return langchainRunner({ model: langchain.fakeModel(), tools: [read] });
}

export function withAnthropic(): TurnRunner {
  const client = new Anthropic();
  const read = betaZodTool({ name: "read", description: "Reads.", inputSchema: schema, run: execute });
  anthropicRunner({ client: { messages: client.beta.messages }, model: "m", maxTokens: 9 });
  return anthropicRunner({ client, model: "m", maxTokens: 9, tools: [read] });
}

export async function withMcp(): Promise<unknown> {
  const one = new Client1({ name: "host", version: "1.0.0" });
  const two = new Client2({ name: "host", version: "1.0.0" });
  const told = await toolOutput(one.callTool({ name: "read" }), spec);
  const [tool] = (await two.listTools()).tools;
  return told.status === "accepted" || tool === undefined
    ? told
    : toolOutput(two.callTool({ name: "read" }), specOfTool(tool));
}
