// What the bindings take and answer is each framework's own: in TypeScript, without a cast.
import { memoryStore, modelMessageShape, type TranscriptShape } from "@mobkit/session";
import { openTurn } from "@mobkit/session/ai-sdk";
import { openSession } from "@mobkit/session/openai-agents";
import { openAiAgentsShape } from "@mobkit/session/shapes";
import { Agent, Runner, type AgentInputItem, type Session } from "@openai/agents";
import * as ai6 from "ai";
import * as ai7 from "ai-7";

declare const model6: Exclude<ai6.LanguageModel, string>;
declare const model7: Exclude<ai7.LanguageModel, string>;

export async function withAi6(): Promise<void> {
  const prompt: ai6.ModelMessage[] = [{ role: "user", content: "go" }];
  const { messages, save } = await openTurn(memoryStore(), "s", { owner: "o", prompt });
  await save(await ai6.generateText({ model: model6, messages }));
  await save(ai6.streamText({ model: model6, messages }));
}

export async function withAi7(): Promise<void> {
  const prompt: ai7.ModelMessage[] = [{ role: "user", content: "go" }];
  const { messages, save } = await openTurn(memoryStore(), "s", { owner: "o", prompt });
  await save(await ai7.generateText({ model: model7, messages }));
  await save(ai7.streamText({ model: model7, messages }));
}

export async function withOpenAiAgents(): Promise<Session> {
  const session = await openSession(memoryStore({ shape: openAiAgentsShape }), "s", { owner: "o" });
  await new Runner().run(new Agent({ name: "helper" }), "go", { session });
  return session;
}

/** A store that its host has typed hands out that type. */
export async function withTypedStores(): Promise<void> {
  const messages = modelMessageShape as unknown as TranscriptShape<ai6.ModelMessage>;
  const turn = await openTurn(memoryStore({ shape: messages }), "s", { owner: "o" });
  // @ts-expect-error -- it is no number
  const count: number | undefined = turn.messages[0];
  const items = openAiAgentsShape as unknown as TranscriptShape<readonly AgentInputItem[]>;
  const session = await openSession(memoryStore({ shape: items }), "s", { owner: "o" });
  // @ts-expect-error -- it is no number
  const last: number | undefined = await session.popItem();
  void [count, last];
}
