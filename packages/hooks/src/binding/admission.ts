import { canonicalJson, type JsonValue } from "@basis/core";
import type { HookCall } from "../hook-request.ts";
import { ErrorResult } from "./error-result.ts";
import type { CheckedInput, InputCheck } from "./input-check.ts";
import { whyNotJson } from "./plain-json.ts";
import type { GuardOptions, ToolGuards } from "./tool-guards.ts";

/** What the calls of one tool are admitted by. */
export interface AdmissionParts {
  readonly name: string;
  readonly check: InputCheck;
  readonly guards: ToolGuards;
  readonly options: GuardOptions;
}

/** One call, as its framework names it. */
export interface AskedCall {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A call that may run; `inputJson` is what was judged, and the tool gets what it says. */
export interface Admitted {
  readonly call: HookCall;
  readonly isRewritten: boolean;
}

type CheckedCall = Pick<Admitted, "isRewritten"> & Pick<HookCall, "toolCallId">;

/** How often an input may change on its way: by guards, then by a schema that fills in or converts. */
const MAX_ROUNDS = 3;

/** Admits inputs that the guards have judged and the schema accepts, as they stand then. Anything else is thrown as a denial. */
export class Admission {
  readonly #parts: AdmissionParts;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  async admit(input: unknown, { toolCallId, abortSignal }: AskedCall): Promise<Admitted> {
    const { guards, check } = this.#parts;
    let call = this.#callOf(toolCallId, input);
    let isRewritten = false;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const outcome = await guards.beforeCall(call, { signal: abortSignal });
      if (outcome.decision === "deny") throw new ErrorResult(outcome.reason);
      if (outcome.decision === "modify") {
        call = { ...call, inputJson: JSON.stringify(outcome.input) };
        isRewritten = true;
      }
      if (check.isDone && !isRewritten) return { call, isRewritten };
      const judged = JSON.parse(call.inputJson) as JsonValue;
      const checked = await this.#check(judged, { isRewritten, toolCallId });
      if (canonicalJson(checked) === canonicalJson(judged)) return { call, isRewritten };
      // What the schema filled in or converted is another input, which nobody has judged (S7).
      call = { ...call, inputJson: JSON.stringify(checked) };
      isRewritten = true;
    }
    throw this.denial(`its input still changes after ${MAX_ROUNDS} rounds`);
  }

  denial(why: string, cause?: unknown): ErrorResult {
    return new ErrorResult(`denied: the call of '${this.#parts.name}' does not run: ${why}`, { cause });
  }

  #callOf(toolCallId: string, input: unknown): HookCall {
    const { name, options } = this.#parts;
    const { effectOf, agentId, parentAgentId, depth, toolSource } = options;
    return {
      agentId,
      toolName: name,
      toolCallId,
      inputJson: this.#textOf(input),
      parentAgentId,
      depth,
      toolSource,
      effectOf: effectOf && ((shown) => effectOf(name, shown)),
    };
  }

  async #check(judged: JsonValue, { isRewritten, toolCallId }: CheckedCall): Promise<JsonValue> {
    const { name, check } = this.#parts;
    let checked: CheckedInput;
    try {
      checked = await check.check(judged);
    } catch (cause) {
      throw this.denial("its input could not be checked", cause);
    }
    if (checked.ok) return JSON.parse(this.#textOf(checked.value)) as JsonValue;
    if (!isRewritten) throw new ErrorResult(`Invalid input for '${name}': ${checked.problem}`);
    const by = this.#whoRewrote(toolCallId);
    throw new ErrorResult(
      `The call was rewritten by ${by}, and the rewrite is no valid input for '${name}': ${checked.problem}`,
    );
  }

  #whoRewrote(toolCallId: string): string {
    const record = this.#parts.guards.trail?.findLast(
      ({ toolCallId: id, event, decision }) =>
        id === toolCallId && event === "pre_tool_use" && decision === "modify",
    );
    const hands = record?.asked.filter(({ decision, shadow }) => decision === "modify" && !shadow) ?? [];
    return hands.map(({ who }) => who).join(" and ") || "a guard";
  }

  /** The input's JSON, which must be all of it: what a guard cannot be shown does not run. */
  #textOf(input: unknown): string {
    const reason = whyNotJson(input);
    if (reason === undefined) return JSON.stringify(input);
    throw this.denial(`its input, as its schema makes it, is not JSON: ${reason}`);
  }
}
