import { newId, parseStrict, type JsonValue } from "@basis/core";
import { Admission, type AdmissionParts, type Admitted } from "../binding/admission.ts";
import { ErrorResult, errorText } from "../binding/error-result.ts";
import { UNSHOWN } from "../binding/tool-guards.ts";
import type { HookCall } from "../hook-request.ts";
import type { ApprovalLedger, FunctionTool, ToolDetails } from "./agent-tool.ts";
import { detailsOf, type ParsedInput } from "./parsed-input.ts";

/** What a guarded tool is made from; the functions are bound to the tool. */
export interface GuardedToolParts extends AdmissionParts, Pick<FunctionTool, "invoke" | "needsApproval"> {}

/** One call on its way: what the runner gave. */
interface Call {
  readonly context: unknown;
  readonly details: ToolDetails | undefined;
  readonly toolCallId: string;
}

/** How often a tool's own schema may make another input of what was judged. */
const MAX_ROUNDS = 3;

/** A tool with the chain around it; its members stand in the place of the tool's own. */
export class GuardedTool {
  readonly #parts: GuardedToolParts;
  readonly #admission: Admission;

  constructor(parts: GuardedToolParts) {
    this.#parts = parts;
    this.#admission = new Admission(parts);
  }

  readonly invoke = async (context: unknown, input: string, details?: ToolDetails): Promise<unknown> => {
    const call = { context, details, toolCallId: details?.toolCall?.callId ?? newId() };
    try {
      return await this.#judgeAndRun(call, this.#parse(input));
    } catch (error) {
      if (error instanceof ErrorResult) return error.message;
      throw error;
    }
  };

  /** Nobody is asked about a call that the guards deny: `invoke` tells the model. Nor about a rewrite, which the framework cannot show. */
  readonly needsApproval = async (context: unknown, input: unknown, callId?: string): Promise<boolean> => {
    const options = { toolCallId: callId ?? newId() };
    const admitted = await this.#admission.admit(input, options).catch(() => undefined);
    if (admitted === undefined || admitted.isRewritten) return false;
    const judged = JSON.parse(admitted.call.inputJson) as JsonValue;
    return this.#parts.needsApproval(context, judged, callId);
  };

  #parse(input: string): JsonValue {
    const parsed = parseStrict(input === "" ? "{}" : input);
    if (parsed.ok) return parsed.value;
    throw new ErrorResult(`Invalid input for '${this.#parts.name}': ${parsed.message}`);
  }

  async #judgeAndRun(call: Call, given: unknown): Promise<unknown> {
    let input = given;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const admitted = await this.#admit(call, input, round > 0);
      const parsed: ParsedInput = {};
      const output = await this.#run(call, admitted.call, parsed);
      // What the schema converted is another input, which nobody has judged (S7).
      if (parsed.converted === undefined) return output;
      input = parsed.converted.value;
    }
    throw this.#admission.denial("its schema makes another input of it each time");
  }

  /** Admits a call to its execution. What a person approved is what runs (S16). */
  async #admit(call: Call, input: unknown, isConverted: boolean): Promise<Admitted> {
    const { context, details, toolCallId } = call;
    const admitted = await this.#admission.admit(input, { toolCallId, abortSignal: details?.signal });
    const isRewritten = admitted.isRewritten;
    const isApproved = this.#isApproved(call);
    if (isRewritten && isApproved)
      throw this.#admission.denial("the input was rewritten, and the approval was about another");
    const judged = JSON.parse(admitted.call.inputJson) as JsonValue;
    const about = isRewritten ? { [UNSHOWN]: true } : undefined;
    if (!isConverted && (await this.#parts.needsApproval(context, judged, toolCallId, about))) {
      if (isRewritten) throw this.#admission.denial("the input was rewritten, and nobody can be shown it");
      if (!isApproved) throw this.#admission.denial("it needs an approval, and nobody was asked");
    }
    return admitted;
  }

  /** True when a person said yes to this call, or to all of this tool's. */
  #isApproved({ context, details, toolCallId: callId }: Call): boolean {
    const ledger = context as ApprovalLedger | undefined;
    if (typeof ledger?.isToolApproved !== "function") return false;
    const { name } = this.#parts;
    const namespace = details?.toolCall?.namespace;
    const names = namespace === undefined ? [name] : [name, `${namespace}.${name}`];
    return names.some((toolName) => ledger.isToolApproved?.({ toolName, callId }) === true);
  }

  async #run({ context, details }: Call, judged: HookCall, parsed: ParsedInput): Promise<unknown> {
    const { invoke } = this.#parts;
    const given = detailsOf(details, judged.inputJson, parsed);
    let output: unknown;
    try {
      output = await invoke(context, judged.inputJson, given);
    } catch (error) {
      if (parsed.converted !== undefined) return undefined;
      if (details?.signal?.aborted === true) throw error;
      return this.#reviewError(judged, error, details);
    }
    return parsed.converted === undefined ? this.#review(judged, output, details) : undefined;
  }

  async #review(judged: HookCall, output: unknown, details: ToolDetails | undefined): Promise<unknown> {
    const result = { output: (output ?? null) as JsonValue, isError: false };
    const outcome = await this.#parts.guards.afterCall(judged, result, { signal: details?.signal });
    if (outcome.decision === "allow") return output;
    return outcome.decision === "deny" ? outcome.reason : outcome.output;
  }

  /** What a tool throws ends the run, unless a reviewer puts something in its place. */
  async #reviewError(judged: HookCall, error: unknown, details: ToolDetails | undefined): Promise<unknown> {
    const result = { output: errorText(error), isError: true };
    const outcome = await this.#parts.guards.afterCall(judged, result, { signal: details?.signal });
    if (outcome.decision === "allow") throw error;
    return outcome.decision === "deny" ? outcome.reason : outcome.output;
  }
}
