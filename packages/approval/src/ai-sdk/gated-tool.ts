import { canonicalJson, type JsonValue } from "@basis/core";
import { approvalDigest } from "../approval-digest.ts";
import { ApprovalError } from "../approval-error.ts";
import type { ApprovalRequest } from "../approval-request.ts";
import type { AuthorizeOutcome } from "../authorize-outcome.ts";
import type { ApprovalGate } from "../gate.ts";
import { answerIn, RefusedCall, type AiCallOptions, type AiTool } from "./ai-tool.ts";
import type { ApproveToolsOptions } from "./approve-tools.ts";

/** What a gated tool is made from. */
export interface GatedToolParts {
  readonly name: string;
  readonly tool: AiTool;
  readonly gate: Pick<ApprovalGate, "authorize" | "redeem">;
  readonly options: ApproveToolsOptions;
}

type Request = ApprovalRequest & { readonly callKey: string };

/** Most judgements kept between the framework's question and the execution; what is dropped is judged anew. */
const MAX_KEPT = 1000;

/** A tool with the gate before it; its members stand in the place of the tool's own. */
export class GatedTool {
  readonly #parts: GatedToolParts;
  readonly #judged = new Map<string, { readonly digest: string; readonly outcome: AuthorizeOutcome }>();

  constructor(parts: GatedToolParts) {
    this.#parts = parts;
  }

  /** The framework asks the user exactly when the gate has parked the question. Everything else is told by `execute`. */
  readonly needsApproval = async (input: unknown, options: AiCallOptions): Promise<boolean> => {
    // Asked again about a question that the user has answered: `execute` looks at the answer.
    if (answerIn(options) !== "unasked") return true;
    const request = await this.#describe(input, options);
    const outcome = await this.#judge(request, options);
    if (outcome.decision !== "parked") this.#keep(request, outcome);
    return outcome.decision === "parked";
  };

  readonly execute = async (input: unknown, options: AiCallOptions): Promise<unknown> => {
    const output = await this.#parts.tool.execute!(await this.#allowed(input, options), options);
    if (typeof output !== "object" || output === null || !(Symbol.asyncIterator in output)) return output;
    let last: unknown;
    for await (const value of output as AsyncIterable<unknown>) last = value;
    return last;
  };

  /** For a tool that streams. */
  readonly stream = (input: unknown, options: AiCallOptions): AsyncGenerator => this.#stream(input, options);

  async *#stream(input: unknown, options: AiCallOptions): AsyncGenerator {
    const allowed = await this.#allowed(input, options);
    yield* this.#parts.tool.execute!(allowed, options) as AsyncIterable<unknown>;
  }

  /** The input that may run now, once: what was judged. Throws what the model reads instead. */
  async #allowed(input: unknown, options: AiCallOptions): Promise<JsonValue> {
    const request = await this.#describe(input, options);
    await this.#recordAnswer(request, options);
    const outcome = await this.#judge(request, options);
    this.#judged.delete(request.callKey);
    switch (outcome.decision) {
      case "allow":
        await this.#redeem(await this.#describe(request.input, options), options);
        return request.input;
      case "deny":
        throw new RefusedCall(outcome.text);
      case "edited":
        throw refused(`make the call again with the input ${canonicalJson(outcome.input)}`);
      case "parked":
        throw refused(`the question ${outcome.approvalId} is not answered yet`);
    }
  }

  /** A judgement of the very same call is used once; nobody is asked twice. */
  async #judge(request: Request, { abortSignal }: AiCallOptions): Promise<AuthorizeOutcome> {
    const kept = this.#judged.get(request.callKey);
    if (kept !== undefined && kept.digest === request.digest) return kept.outcome;
    return this.#parts.gate.authorize(request, { signal: abortSignal });
  }

  #keep({ callKey, digest = "" }: Request, outcome: AuthorizeOutcome): void {
    this.#judged.set(callKey, { digest, outcome });
    if (this.#judged.size <= MAX_KEPT) return;
    for (const oldest of this.#judged.keys()) {
      this.#judged.delete(oldest);
      return;
    }
  }

  async #redeem({ callKey, digest = "" }: Request, { abortSignal }: AiCallOptions): Promise<void> {
    try {
      await this.#parts.gate.redeem({ callKey, digest }, { signal: abortSignal });
    } catch (cause) {
      if (!ApprovalError.is(cause)) throw cause;
      throw refused(`${cause.code}: ${cause.message}`);
    }
  }

  /** A yes in the conversation answers a question that was there before: never one that nobody asked. */
  async #recordAnswer({ callKey, digest }: Request, options: AiCallOptions): Promise<void> {
    const { store, answeredBy: by = "the user" } = this.#parts.options;
    if (store === undefined || answerIn(options) !== "approved") return;
    const record = (await store.list({ callKey, state: "open" })).at(-1);
    if (record === undefined || record.digest !== digest) return;
    await store.resolve(record.approvalId, { decision: "allow", by, at: Date.now() });
  }

  async #describe(input: unknown, { toolCallId }: AiCallOptions): Promise<Request> {
    const { name: toolName, options } = this.#parts;
    const { agentId, facts, callKey } = options;
    const call = { toolName, toolCallId, input: asJson(input) };
    const key = callKey?.(call) ?? `${agentId}/${toolCallId}`;
    const about = { ...(await facts?.(call)), callKey: key, callId: toolCallId, agentId, toolName };
    const request = { ...about, input: call.input };
    return { ...request, digest: approvalDigest({ ...request, agent: agentId }) };
  }
}

/** A copy of the input that is all of it: what cannot be shown does not run. */
function asJson(input: unknown): JsonValue {
  const copy = JSON.parse(JSON.stringify(input)) as JsonValue;
  if (canonicalJson(copy) === canonicalJson(input)) return copy;
  throw refused("the input, as its schema makes it, is not JSON");
}

function refused(why: string): RefusedCall {
  return new RefusedCall(`Tool execution denied: ${why}`);
}
