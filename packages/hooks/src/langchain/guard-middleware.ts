import { providerSetting, providerTool } from "@basis/core/provider-tools";
import type { InputValidator } from "../binding/input-check.ts";
import { unguarded, type GuardOptions, type ToolGuards } from "../binding/tool-guards.ts";
import { GuardedCalls, type RunCall } from "./guarded-calls.ts";
import {
  ELSEWHERE,
  type GuardHooks,
  type LangChain,
  type LangChainTool,
  type ModelRequest,
} from "./lang-chain.ts";

/** Whose calls are guarded, and how. */
export interface GuardMiddlewareOptions extends GuardOptions {
  /** Checks the inputs of tools that bring a JSON Schema, in words of the chain. Default: the framework checks them. */
  readonly validator?: InputValidator | undefined;
  /** Names (or types) of tools that may be offered although the provider runs them, or nobody here does. */
  readonly outside?: readonly string[] | undefined;
  /**
   * Asked after the guards, about what they left, and before the tool: what `approvalMiddleware` of `@basis/approval/langchain`
   * makes, or another middleware. It is not among the agent's `middleware` then.
   */
  readonly approvals?: unknown;
  /** `deny`: a rewrite denies. For approvals asked outside of the tools, which show a person the model's input. Default `run`. */
  readonly rewrites?: "run" | "deny" | undefined;
  /**
   * `answer`: the model reads a tool's error, as it does where no middleware stands around tools. `throw`: it is
   * thrown to the middleware before this one, such as one that tries again. Default `answer`.
   */
  readonly toolErrors?: "answer" | "throw" | undefined;
}

/**
 * A middleware of langchain 1 that puts the chain around every tool call of an agent: of registered tools, of tools
 * that other middleware adds, in parallel or not. Make it the last one of `middleware`. `langchain` is the module
 * itself. Its `wrapToolCall` also guards a `ToolNode` of that module.
 *
 * @throws HookError `unguarded_tool` when `langchain` is no langchain 1; and in a run, naming a tool that it would offer to
 * the model although no guard could stand around it, or that the provider ran by itself.
 */
export function guardMiddleware<Middleware>(
  langchain: LangChain<Middleware>,
  guards: ToolGuards,
  options: GuardMiddlewareOptions,
): Middleware {
  if (typeof langchain?.createMiddleware !== "function" || typeof langchain.ToolMessage !== "function")
    throw unguarded("*", "stays without a guard: @basis/hooks/langchain needs the module of langchain 1", "");
  if (options.approvals !== undefined && typeof Object(options.approvals).wrapToolCall !== "function")
    throw unguarded("*", "would run without approvals: `approvals` is no middleware with a wrapToolCall", "");
  const calls = new GuardedCalls({ langchain, guards, options });
  const hooks: GuardHooks = {
    name: "guards",
    wrapToolCall: (request, handler) =>
      calls.answer(request, within(options.approvals, handler)) as Promise<never>,
    wrapModelCall: async (request, handler) => {
      const { outside = [] } = options;
      refuseUnguarded(request, outside);
      const reply = await handler(request as never);
      const ran = providerTool(reply, outside);
      if (ran !== undefined) throw unguarded(ran, "was run by the provider, where no guard could stop it");
      return reply as never;
    },
  };
  return langchain.createMiddleware(hooks);
}

/** A tool without `invoke` is run by the provider, or by whoever receives the call: no guard is asked. */
function refuseUnguarded({ tools, modelSettings }: ModelRequest, outside: readonly string[]): void {
  const setting = providerSetting(modelSettings);
  if (setting !== undefined && !outside.includes(setting)) throw unguarded(setting, ELSEWHERE);
  const set = modelSettings?.tools;
  const offered: readonly LangChainTool[] = [
    ...(tools ?? []),
    ...(Array.isArray(set) ? (set as object[]) : []),
  ];
  for (const tool of offered) {
    if (typeof tool.invoke === "function") continue;
    const { function: definition } = tool as { readonly function?: LangChainTool };
    // Google's have no name but their key: `{ codeExecution: {} }`.
    const names = [definition?.name, tool.name, tool.type, Object.keys(tool)[0]];
    const known = names.filter((name) => typeof name === "string");
    if (!known.some((name) => outside.includes(name))) throw unguarded(known[0] ?? "?", ELSEWHERE);
  }
}

/** The rest of a call's way: the approvals, if there are any, and what comes after them. */
function within(approvals: unknown, handler: (request: never) => unknown): RunCall {
  const { wrapToolCall } = Object(approvals) as Partial<GuardHooks>;
  if (wrapToolCall === undefined) return handler as RunCall;
  return (request) => wrapToolCall(request, handler);
}
