import { unguarded, type ToolGuards } from "../binding/tool-guards.ts";
import type { GuardMiddlewareOptions } from "./guard-middleware.ts";
import { GuardedCalls } from "./guarded-calls.ts";
import {
  ELSEWHERE,
  type LangChain,
  type LangChainTool,
  type ToolAnswer,
  type ToolCallRequest,
} from "./lang-chain.ts";

/** Whose tools are guarded, and how. */
export type GuardLangChainToolsOptions = Omit<GuardMiddlewareOptions, "outside">;

/** Ways into a tool beside `invoke`, and what `stream`, `batch` and `pipe` make of it: a guarded tool has none of them. */
const OTHER_WAYS: ReadonlySet<string | symbol> = new Set(["call", "_call", "func", "bound", "withConfig"]);

/**
 * A frozen list of copies of tools with the chain around every call, for a `ToolNode` of `@langchain/langgraph/prebuilt` or a loop of
 * your own: no middleware stands there. Agents of `createAgent` take `guardMiddleware` instead.
 *
 * @throws HookError `unguarded_tool` naming a tool that does not run in this process.
 */
export function guardTools<Tool extends object>(
  tools: readonly Tool[],
  guards: ToolGuards,
  options: GuardLangChainToolsOptions & { readonly langchain: Pick<LangChain<unknown>, "ToolMessage"> },
): Tool[] {
  const calls = new GuardedCalls({ langchain: options.langchain, guards, options });
  return Object.freeze(tools.map((tool) => guardTool(tool, calls))) as Tool[];
}

function guardTool<Tool extends LangChainTool>(tool: Tool, calls: GuardedCalls): Tool {
  if (typeof tool.invoke !== "function")
    throw unguarded(String(tool.name ?? tool.type), ELSEWHERE, "take it out");
  let direct = 0;
  const invoke = async (given: unknown, config?: { readonly signal?: AbortSignal }): Promise<unknown> => {
    const asked = callIn(given);
    direct += asked ? 0 : 1;
    const toolCall = asked ?? { name: String(tool.name), args: given, id: `${String(tool.name)}:${direct}` };
    const run = async (request: ToolCallRequest): Promise<ToolAnswer> => {
      const runnable = request.tool as LangChainTool;
      return (await runnable.invoke!(
        { type: "tool_call", ...request.toolCall } as never,
        config,
      )) as ToolAnswer;
    };
    const answer: ToolAnswer = await calls.answer(
      { toolCall, tool, runtime: { signal: config?.signal } },
      run,
    );
    return asked ? answer : (answer.content ?? answer);
  };
  const get = (target: Tool, member: string | symbol): unknown => {
    if (member === "invoke") return invoke;
    return OTHER_WAYS.has(member) ? undefined : Reflect.get(target, member);
  };
  return new Proxy(tool, { get });
}

/** The model's call, when that is what a tool is invoked with. */
function callIn(given: unknown): ToolCallRequest["toolCall"] | undefined {
  const call = given as { readonly type?: unknown } | undefined;
  return call?.type === "tool_call" ? (given as ToolCallRequest["toolCall"]) : undefined;
}
