import { canonicalJson, type JsonValue } from "@basis/core";
import { Admission } from "../binding/admission.ts";
import { ErrorResult } from "../binding/error-result.ts";
import type { ToolGuards } from "../binding/tool-guards.ts";
import { contentOf } from "../content-blocks.ts";
import type { HookCall } from "../hook-request.ts";
import type { GuardMiddlewareOptions } from "./guard-middleware.ts";
import {
  errorAnswer,
  isInterrupt,
  shownAnswer,
  thrownCommand,
  type LangChain,
  type LangChainTool,
  type ToolAnswer,
  type ToolCallRequest,
} from "./lang-chain.ts";
import { ToolChecks } from "./tool-check.ts";

/** The way of a judged call to its tool. */
export type RunCall = (request: ToolCallRequest) => Promise<ToolAnswer>;

/** What guarded calls are made with. */
export interface GuardedCallsParts {
  readonly langchain: Pick<LangChain<unknown>, "ToolMessage">;
  readonly guards: ToolGuards;
  readonly options: GuardMiddlewareOptions;
}

/** The calls of an agent with the chain around each. */
export class GuardedCalls {
  readonly #parts: GuardedCallsParts;
  readonly #checks: ToolChecks;

  constructor(parts: GuardedCallsParts) {
    this.#parts = parts;
    this.#checks = new ToolChecks(parts.options.validator);
  }

  async answer(request: ToolCallRequest, run: RunCall): Promise<object> {
    try {
      const tool: LangChainTool | undefined = request.tool;
      if (typeof tool?.invoke !== "function")
        throw new ErrorResult(`Error: ${request.toolCall.name} is not a valid tool.`);
      const call = await this.#admit(request, tool);
      return await this.#run({ request: judged(request, tool, call), call, run });
    } catch (error) {
      if (error instanceof ErrorResult) return this.#message(request, error.message, true);
      throw error;
    }
  }

  async #admit({ toolCall, runtime }: ToolCallRequest, tool: LangChainTool): Promise<HookCall> {
    const { guards, options } = this.#parts;
    const admission = new Admission({
      name: toolCall.name,
      check: this.#checks.checkOf(tool),
      guards,
      options,
    });
    const { call, isRewritten } = await admission.admit(toolCall.args, {
      toolCallId: toolCall.id ?? "",
      abortSignal: runtime.signal,
    });
    if (isRewritten && options.rewrites === "deny")
      throw admission.denial("the input was rewritten, and the approval was about another");
    return call;
  }

  async #run({ request, call, run }: JudgedCall): Promise<object> {
    const { signal } = request.runtime;
    let answer: ToolAnswer;
    let thrown: { readonly error: unknown } | undefined;
    try {
      answer = await run(request);
    } catch (error) {
      if (isInterrupt(error) || error instanceof ErrorResult || signal?.aborted) throw error;
      thrown = { error };
      answer = thrownCommand(error) ?? { content: errorAnswer(error), status: "error" };
    }
    const facts = shownAnswer(answer);
    const outcome = await this.#parts.guards.afterCall(call, facts, { signal });
    if (outcome.decision === "deny") return this.#message(request, outcome.reason, true);
    if (outcome.decision === "replace") return this.#message(request, outcome.output, outcome.isError);
    if (thrown === undefined) return answer;
    if (this.#parts.options.toolErrors === "throw" || thrownCommand(thrown.error)) throw thrown.error;
    return this.#message(request, facts.output, true);
  }

  #message({ toolCall }: ToolCallRequest, output: JsonValue, isError: boolean): object {
    return new this.#parts.langchain.ToolMessage({
      content: contentOf(output) as never,
      tool_call_id: toolCall.id ?? "",
      name: toolCall.name,
      status: isError ? "error" : "success",
    });
  }
}

interface JudgedCall {
  readonly request: ToolCallRequest;
  readonly call: HookCall;
  readonly run: RunCall;
}

/** The request as it was judged. Its tool runs with that input alone, whatever middleware after this one makes of the call. */
function judged(request: ToolCallRequest, tool: LangChainTool, { inputJson }: HookCall): ToolCallRequest {
  const args = JSON.parse(inputJson) as JsonValue;
  const expected = canonicalJson(args);
  const invoke: LangChainTool["invoke"] = (call, config) => {
    if (canonicalJson(call.args) === expected) return tool.invoke!(call, config);
    const words = `denied: the call of '${request.toolCall.name}' does not run: its input was changed after the guards judged it`;
    throw new ErrorResult(words);
  };
  const get = (target: LangChainTool, member: string | symbol): unknown =>
    member === "invoke" ? invoke : Reflect.get(target, member);
  return { ...request, toolCall: { ...request.toolCall, args }, tool: new Proxy(tool, { get }) };
}
