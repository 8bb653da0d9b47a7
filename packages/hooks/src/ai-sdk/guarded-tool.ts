import type { JsonValue } from "@basis/core";
import type { HookOutcome } from "../hook-decision.ts";
import type { HookCall } from "../hook-request.ts";
import { UNSHOWN } from "../binding/tool-guards.ts";
import { Admission, type AdmissionParts, type Admitted } from "../binding/admission.ts";
import { ErrorResult, errorText } from "../binding/error-result.ts";
import {
  isAsyncIterable,
  wasAskedFor,
  type AiCallOptions,
  type AiOutputOptions,
  type AiTool,
} from "./ai-tool.ts";
import type { GuardToolsOptions } from "./guard-tools.ts";
import { lastOf, plainOutput, RecentCalls } from "./tool-output.ts";

/** What a guarded tool is made from. */
export interface GuardedToolParts extends AdmissionParts {
  readonly tool: AiTool;
  readonly options: GuardToolsOptions;
}

/** A tool with the chain around it; its members stand in the place of the tool's own. */
export class GuardedTool {
  readonly #parts: GuardedToolParts;
  readonly #admission: Admission;
  readonly #replaced = new RecentCalls();

  constructor(parts: GuardedToolParts) {
    this.#parts = parts;
    this.#admission = new Admission(parts);
  }

  readonly execute = async (input: unknown, options: AiCallOptions): Promise<unknown> => {
    const { call } = await this.#open(input, options);
    let output: unknown;
    try {
      output = await this.#run(call, options);
      // What comes on the way would be shown before anybody reviewed it.
      if (isAsyncIterable(output)) output = await lastOf(output);
    } catch (error) {
      return this.#reviewError(call, error, options);
    }
    return this.#review(call, output, options);
  };

  /** For a tool that streams: each value is reviewed before it is shown. */
  readonly stream = (input: unknown, options: AiCallOptions): AsyncGenerator => this.#stream(input, options);

  async *#stream(input: unknown, options: AiCallOptions): AsyncGenerator {
    const { call } = await this.#open(input, options);
    const values = (this.#run(call, options) as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    try {
      for (;;) {
        let next: IteratorResult<unknown>;
        try {
          next = await values.next();
        } catch (error) {
          yield await this.#reviewError(call, error, options);
          return;
        }
        if (next.done === true) return;
        yield await this.#review(call, next.value, options);
      }
    } finally {
      await values.return?.();
    }
  }

  /** Nobody is asked about a call that the guards deny: `execute` tells the model. Nor about a rewrite, which the framework cannot show. */
  readonly needsApproval = async (input: unknown, options: AiCallOptions): Promise<boolean> => {
    const admitted = await this.#admission.admit(input, options).catch(() => undefined);
    if (admitted === undefined || admitted.isRewritten) return false;
    return this.#isApprovalNeeded(admitted.call, options);
  };

  /** What was put in place of a result is shown as it is: the tool knows its own results alone. */
  readonly toModelOutput = async (options: AiOutputOptions): Promise<unknown> => {
    const { tool } = this.#parts;
    if (this.#replaced.has(options.toolCallId)) return plainOutput(options.output);
    return tool.toModelOutput!(options);
  };

  #run({ inputJson }: HookCall, options: AiCallOptions): unknown {
    return this.#parts.tool.execute!(JSON.parse(inputJson) as JsonValue, options);
  }

  /** Admits a call to its execution. What a person approved is what runs (S16). */
  async #open(input: unknown, options: AiCallOptions): Promise<Admitted> {
    const { tool, options: how } = this.#parts;
    const admitted = await this.#admission.admit(input, options);
    const isAsked = (): boolean => wasAskedFor(options);
    if (admitted.isRewritten && (how.rewrites === "deny" || isAsked()))
      throw this.#admission.denial("the input was rewritten, and the approval was about another");
    const about = admitted.isRewritten ? { ...options, [UNSHOWN]: true } : options;
    if (tool.needsApproval !== undefined && (await this.#isApprovalNeeded(admitted.call, about))) {
      if (admitted.isRewritten)
        throw this.#admission.denial("the input was rewritten, and nobody can be shown it");
      if (!isAsked()) throw this.#admission.denial("it needs an approval, and nobody was asked");
    }
    await tool.onInputAvailable?.({ ...options, input: JSON.parse(admitted.call.inputJson) });
    return admitted;
  }

  async #isApprovalNeeded({ inputJson }: HookCall, options: AiCallOptions): Promise<boolean> {
    const { needsApproval } = this.#parts.tool;
    if (typeof needsApproval !== "function") return needsApproval === true;
    return Boolean(await needsApproval.call(this.#parts.tool, JSON.parse(inputJson) as JsonValue, options));
  }

  async #review(call: HookCall, output: unknown, options: AiCallOptions): Promise<unknown> {
    this.#replaced.forget(options.toolCallId);
    const result = { output: (output ?? null) as JsonValue, isError: false };
    const outcome = await this.#parts.guards.afterCall(call, result, { signal: options.abortSignal });
    return outcome.decision === "allow" ? output : this.#replacement(outcome, options);
  }

  async #reviewError(call: HookCall, error: unknown, options: AiCallOptions): Promise<unknown> {
    const result = { output: errorText(error), isError: true };
    const outcome = await this.#parts.guards.afterCall(call, result, { signal: options.abortSignal });
    if (outcome.decision === "allow") throw error;
    return this.#replacement(outcome, options);
  }

  /** An error result is thrown: the framework makes the model's error of it. */
  #replacement(
    outcome: Exclude<HookOutcome, { decision: "allow" | "modify" }>,
    options: AiCallOptions,
  ): unknown {
    if (outcome.decision === "deny") throw new ErrorResult(outcome.reason);
    if (outcome.isError) throw new ErrorResult(errorText(outcome.output));
    this.#replaced.note(options.toolCallId);
    return outcome.output;
  }
}
