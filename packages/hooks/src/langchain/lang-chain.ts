import type { JsonValue } from "@basis/core";

/** What a message that answers a tool call is made from. */
export interface ToolMessageFields {
  readonly content: never;
  readonly tool_call_id: string;
  readonly name: string;
  readonly status: "success" | "error";
}

/** The hooks of the middleware that guards an agent. */
export interface GuardHooks {
  readonly name: string;
  readonly wrapToolCall: (request: ToolCallRequest, handler: (request: never) => unknown) => Promise<never>;
  readonly wrapModelCall: (request: ModelRequest, handler: (request: never) => unknown) => Promise<never>;
}

/** The part of the module `langchain` that is needed. */
export interface LangChain<Middleware> {
  readonly createMiddleware: (config: GuardHooks) => Middleware;
  readonly ToolMessage: new (fields: ToolMessageFields) => object;
}

/** A tool as far as a guard looks at it; one that runs in the process has `invoke`. */
export interface LangChainTool {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly schema?: unknown;
  readonly invoke?: ((call: { readonly args: unknown }, config: unknown) => unknown) | undefined;
}

/** Why a tool without `invoke` is refused. */
export const ELSEWHERE = "does not run in this process, where a guard could stop it";

/** What `wrapToolCall` is asked with. */
export interface ToolCallRequest {
  readonly toolCall: { readonly name: string; readonly args: unknown; readonly id?: string | undefined };
  readonly tool: object | undefined;
  readonly runtime: { readonly signal?: AbortSignal | undefined };
}

/** What `wrapModelCall` is asked with. */
export interface ModelRequest {
  readonly tools?: readonly object[] | undefined;
  readonly modelSettings?: { readonly tools?: unknown } | undefined;
}

/** A message that answers a call, or a command of the graph. */
export interface ToolAnswer {
  readonly content?: JsonValue;
  readonly status?: string | undefined;
}

/** What reviewers are shown of an answer: a message's content, all of a command. */
export function shownAnswer(answer: ToolAnswer): { readonly output: JsonValue; readonly isError: boolean } {
  const output = answer.content ?? (JSON.parse(JSON.stringify(answer)) as JsonValue);
  return { output, isError: answer.status === "error" };
}

/** True for what a graph throws to wait for a person: no result of the tool. */
export function isInterrupt(error: unknown): boolean {
  return error instanceof Error && (error.name === "GraphInterrupt" || error.name === "NodeInterrupt");
}

/** The command that a graph throws to its parent; undefined for an error. */
export function thrownCommand(error: unknown): object | undefined {
  if (!(error instanceof Error) || error.name !== "ParentCommand") return undefined;
  return (error as { readonly command?: object }).command;
}

/** What the framework lets the model read of an error where no middleware stands around its tools. */
export function errorAnswer(error: unknown): string {
  const isInvocation =
    error instanceof Error && "~brand" in error && error["~brand"] === "ToolInvocationError";
  return isInvocation ? error.message : `${String(error)}\n Please fix your mistakes.`;
}
