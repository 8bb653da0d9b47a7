import { unusable } from "../model-turn/ai-model.ts";

/** An item of the conversation, as `AgentInputItem` of OpenAI Agents. */
export interface AgentItem {
  readonly type?: string | undefined;
  readonly [member: string]: unknown;
}

/** A reply, as far as it is looked at. */
export interface AgentsReply {
  readonly output: readonly AgentItem[];
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly inputTokensDetails?: readonly Readonly<Record<string, number>>[];
    readonly outputTokensDetails?: readonly Readonly<Record<string, number>>[];
  };
  /** The provider's own reply, where it is told: it alone says why the model stopped. */
  readonly providerData?: Readonly<Record<string, unknown>> | undefined;
}

/** A model of OpenAI Agents, such as `await new OpenAIProvider().getModel("gpt-…")` answers. */
export interface AgentsModel {
  getResponse(request: never): Promise<unknown>;
}

/** A function tool of OpenAI Agents, as far as it is looked at. */
export interface AgentsTool {
  readonly type: "function";
  readonly name: string;
  readonly description?: string;
  readonly parameters: unknown;
  invoke(context: unknown, input: string, details: object): Promise<unknown>;
  needsApproval(context: unknown, input: unknown, callId: string): Promise<boolean>;
}

/** The model, if it is one that can be driven. @throws OutputError `unusable_host`. */
export function usableModel(model: AgentsModel | string): AgentsModel {
  if (typeof model === "string")
    throw unusable("model", `'${model}' is a name: pass what getModel("${model}") of a provider answers`);
  if (typeof model?.getResponse === "function") return model;
  throw unusable(
    "model",
    "it has no getResponse: @basis/typed-output/openai-agents needs a model of @openai/agents 0.20",
  );
}

/** The tools, if each can run here. @throws OutputError `unusable_host`. */
export function usableTools(tools: readonly object[]): readonly AgentsTool[] {
  for (const tool of tools as readonly Partial<AgentsTool>[]) {
    if (tool.type !== "function" || typeof tool.invoke !== "function")
      throw unusable("tools", `'${tool.name ?? "?"}' runs somewhere else: pass function tools`);
  }
  return tools as readonly AgentsTool[];
}
