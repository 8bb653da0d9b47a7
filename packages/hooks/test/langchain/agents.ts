import * as langchain from "langchain";
import { createHookChain, type HookAnswer, type HookChain, type HookRequest } from "../../src/index.ts";
import { guardMiddleware, type GuardMiddlewareOptions } from "../../src/langchain/index.ts";

export interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly id?: string;
}

/** What the model read of a call. */
export interface ReadAnswer {
  readonly name: string | undefined;
  readonly status: string | undefined;
  readonly content: unknown;
}

export interface RunOptions {
  readonly tools: readonly object[];
  readonly middleware: readonly object[];
  readonly calls: readonly Call[];
}

/** Runs an agent whose model asks for `calls` at once and then stops; answers what it read. */
export async function run({ tools, middleware, calls }: RunOptions): Promise<readonly ReadAnswer[]> {
  const model = langchain.fakeModel();
  model.respondWithTools(calls.map(({ id, ...call }, index) => ({ ...call, id: id ?? `call-${index + 1}` })));
  model.respond(new langchain.AIMessage("done"));
  const agent = langchain.createAgent({ model, tools: tools as never, middleware: middleware as never });
  const { messages } = (await agent.invoke({ messages: [new langchain.HumanMessage("go")] } as never)) as {
    readonly messages: readonly langchain.BaseMessage[];
  };
  return answersIn(messages);
}

function answersIn(messages: readonly langchain.BaseMessage[]): readonly ReadAnswer[] {
  return messages
    .filter((message) => langchain.ToolMessage.isInstance(message))
    .map(({ name, status, content }) => ({ name, status, content }));
}

export interface Noting {
  readonly chain: HookChain;
  readonly seen: readonly HookRequest[];
  told(): readonly string[];
}

/** A chain that notes every request and answers with `answer`. */
export function noting(answer: (request: HookRequest) => HookAnswer = () => ({ decision: "allow" })): Noting {
  const seen: HookRequest[] = [];
  const intercept = (request: HookRequest): HookAnswer => (seen.push(request), answer(request));
  const chain = createHookChain({
    workspace: "/w",
    participants: [{ name: "all", events: ["pre_tool_use", "post_tool_use"], intercept }],
    report: () => undefined,
  });
  return { chain, seen, told: () => seen.map(({ event, toolName }) => `${event.split("_")[0]} ${toolName}`) };
}

export const before = (outcome: HookAnswer): Noting =>
  noting(({ event }) => (event === "pre_tool_use" ? outcome : { decision: "allow" }));
export const after = (outcome: HookAnswer): Noting =>
  noting(({ event }) => (event === "post_tool_use" ? outcome : { decision: "allow" }));

export const guard = (
  { chain }: Noting,
  options?: Partial<GuardMiddlewareOptions>,
): langchain.AgentMiddleware => guardMiddleware(langchain, chain, { agentId: "main", ...options });
