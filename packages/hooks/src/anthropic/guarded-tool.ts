import { isJsonObject, type JsonValue } from "@basis/core";
import { Admission } from "../binding/admission.ts";
import {
  jsonCheck,
  type CheckedInput,
  type InputCheck,
  type InputValidator,
} from "../binding/input-check.ts";
import { whyNotJson } from "../binding/plain-json.ts";
import { ErrorResult, errorText } from "../binding/error-result.ts";
import type { GuardOptions, ToolGuards } from "../binding/tool-guards.ts";
import { contentOf } from "../content-blocks.ts";
import type { HookCall } from "../hook-request.ts";
import { nameOf, type AnthropicTool, type RunContext } from "./anthropic-tool.ts";

/** Whose tools are guarded, and how. */
export interface GuardAnthropicToolsOptions extends GuardOptions {
  /** Holds inputs to each `input_schema`: the SDK's `betaTool` does not. */
  readonly validator: InputValidator;
  /** Names of tools that may stay unguarded; they are left as they are. */
  readonly outside?: readonly string[] | undefined;
}

/** What a guarded tool is made from. */
export interface GuardedToolParts {
  readonly tool: AnthropicTool;
  readonly guards: ToolGuards;
  readonly options: GuardAnthropicToolsOptions;
}

/** A tool with the chain around it. What the model is to read as an error is thrown, as the tool runner wants it. */
export class GuardedTool {
  readonly #parts: GuardedToolParts;
  readonly #admission: Admission;
  #calls = 0;

  constructor(parts: GuardedToolParts) {
    const { tool, guards, options } = parts;
    this.#parts = parts;
    this.#admission = new Admission({
      name: nameOf(tool),
      check: checkOf(tool, options.validator),
      guards,
      options,
    });
  }

  readonly run = async (input: unknown, context?: RunContext): Promise<unknown> => {
    this.#calls += 1;
    const signal = context?.signal ?? undefined;
    const { call } = await this.#admission.admit(input ?? {}, {
      toolCallId: context?.toolUse?.id ?? `${nameOf(this.#parts.tool)}:${this.#calls}`,
      abortSignal: signal,
    });
    let content: unknown;
    try {
      content = await this.#parts.tool.run!(JSON.parse(call.inputJson) as JsonValue, context);
    } catch (error) {
      const facts = { output: thrownContent(error), isError: true };
      return this.#review({ call, facts, signal }, () => {
        throw error;
      });
    }
    const facts = { output: (content ?? null) as JsonValue, isError: false };
    return this.#review({ call, facts, signal }, () => content);
  };

  async #review({ call, facts, signal }: Reviewed, kept: () => unknown): Promise<unknown> {
    const outcome = await this.#parts.guards.afterCall(call, facts, { signal });
    if (outcome.decision === "deny") throw new ErrorResult(outcome.reason);
    if (outcome.decision !== "replace") return kept();
    if (outcome.isError) throw new ErrorResult(errorText(outcome.output));
    return contentOf(outcome.output);
  }
}

interface Reviewed {
  readonly call: HookCall;
  readonly facts: { readonly output: JsonValue; readonly isError: boolean };
  readonly signal: AbortSignal | undefined;
}

/** What the tool runner shows of a thrown value. */
export function thrownContent(error: unknown): JsonValue {
  if (error instanceof ErrorResult) return error.message;
  const { content } = (error ?? {}) as { readonly content?: unknown };
  if (typeof content === "string" || Array.isArray(content)) return content as JsonValue;
  return `Error: ${errorText(error)}`;
}

/** By the tool's own `parse`, then by the JSON Schema where there is one: zod's says how inputs look once they are parsed. */
function checkOf(tool: AnthropicTool, validator: InputValidator): InputCheck {
  const { input_schema: jsonSchema } = tool;
  const bySchema = isJsonObject(jsonSchema) ? jsonCheck({ jsonSchema }, validator) : undefined;
  const check = async (input: JsonValue): Promise<CheckedInput> => {
    let value: unknown;
    try {
      value = await tool.parse!(input);
    } catch (error) {
      return { ok: false, problem: errorText(error) };
    }
    const isJson = whyNotJson(value) === undefined;
    return bySchema && isJson ? bySchema.check(value as JsonValue) : { ok: true, value };
  };
  return { isDone: false, check };
}
