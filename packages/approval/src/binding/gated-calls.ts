import { canonicalJson, type JsonValue } from "@basis/core";
import { approvalDigest } from "../approval-digest.ts";
import { ApprovalError } from "../approval-error.ts";
import type { ApprovalRequest } from "../approval-request.ts";
import type { AuthorizeOutcome } from "../authorize-outcome.ts";
import type { ApprovalGate } from "../gate.ts";
import type { ApprovalCallsOptions } from "./approval-options.ts";
import { RefusedCall } from "./refused-call.ts";

/** The part of a gate that a binding asks. */
export type CallGate = Pick<ApprovalGate, "authorize" | "redeem">;

/** What the calls of one tool are gated by. */
export interface GatingParts {
  readonly name: string;
  readonly gate: CallGate;
  readonly options: ApprovalCallsOptions;
}

/** One call, as its framework tells it. */
export interface AskedCall {
  readonly toolCallId: string;
  readonly abortSignal?: AbortSignal | undefined;
  /** Whether the framework has asked a person about this call, and what they said. */
  readonly answer: "unasked" | "asked" | "approved" | "denied";
  /** Why a person said no. */
  readonly reason?: string | undefined;
  /** True when the framework shows a person another input than this: nobody is asked about it. */
  readonly isUnshown?: boolean | undefined;
}

type Request = ApprovalRequest & { readonly callKey: string };

/** Most judgements kept between the framework's question and the execution; what is dropped is judged anew. */
const MAX_KEPT = 1000;

/** The calls of a tool with the gate before each. */
export class GatedCalls {
  readonly #parts: GatingParts;
  readonly #judged = new Map<string, { readonly digest: string; readonly outcome: AuthorizeOutcome }>();

  constructor(parts: GatingParts) {
    this.#parts = parts;
  }

  /** The parked question about a call, if that is what became of it. Every other judgement is kept for `allowed`. */
  async parked(input: unknown, call: AskedCall): Promise<ParkedCall | undefined> {
    const request = await this.#describe(input, call);
    const outcome = await this.#judge(request, call, call.isUnshown === true ? "deny" : "park");
    if (outcome.decision === "parked") return { approvalId: outcome.approvalId, request };
    this.#keep(request, outcome);
    return undefined;
  }

  /** The input that may run now, once: what was judged. Throws what the model reads instead. */
  async allowed(input: unknown, call: AskedCall): Promise<JsonValue> {
    const request = await this.#describe(input, call);
    await this.#recordAnswer(request, call);
    // A question that was first asked here would be answered by the yes of a conversation that is sent again.
    const outcome = await this.#judge(request, call, "deny");
    this.#judged.delete(request.callKey);
    switch (outcome.decision) {
      case "allow":
        await this.#redeem(await this.#describe(request.input, call), call);
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
  async #judge(
    request: Request,
    { abortSignal }: AskedCall,
    parking: "park" | "deny",
  ): Promise<AuthorizeOutcome> {
    const kept = this.#judged.get(request.callKey);
    if (kept !== undefined && kept.digest === request.digest) return kept.outcome;
    return this.#parts.gate.authorize(request, { signal: abortSignal, parking });
  }

  #keep({ callKey, digest = "" }: Request, outcome: AuthorizeOutcome): void {
    this.#judged.set(callKey, { digest, outcome });
    if (this.#judged.size <= MAX_KEPT) return;
    for (const oldest of this.#judged.keys()) {
      this.#judged.delete(oldest);
      return;
    }
  }

  async #redeem({ callKey, digest = "" }: Request, { abortSignal }: AskedCall): Promise<void> {
    try {
      await this.#parts.gate.redeem({ callKey, digest }, { signal: abortSignal });
    } catch (cause) {
      if (!ApprovalError.is(cause)) throw cause;
      throw refused(`${cause.code}: ${cause.message}`);
    }
  }

  /** What the framework tells of a person answers a question that was there before: never one that nobody asked. */
  async #recordAnswer({ callKey, digest }: Request, { answer, reason }: AskedCall): Promise<void> {
    const { store, answeredBy: by = "the user" } = this.#parts.options;
    if (store === undefined || (answer !== "approved" && answer !== "denied")) return;
    const record = (await store.list({ callKey, state: "open" })).at(-1);
    if (record === undefined || record.digest !== digest) return;
    const decision = answer === "approved" ? "allow" : "deny";
    await store.resolve(record.approvalId, { decision, by, reason, at: Date.now() });
  }

  async #describe(input: unknown, { toolCallId }: AskedCall): Promise<Request> {
    const { name: toolName, options } = this.#parts;
    const { agentId, facts, callKey } = options;
    const call = { toolName, toolCallId, input: asJson(input) };
    const key = callKey?.(call) ?? `${agentId}/${toolCallId}`;
    const about = { ...(await facts?.(call)), callKey: key, callId: toolCallId, agentId, toolName };
    const request = { ...about, input: call.input };
    return { ...request, digest: approvalDigest({ ...request, agent: agentId }) };
  }
}

/** A call whose question lies open. */
export interface ParkedCall {
  readonly approvalId: string;
  readonly request: ApprovalRequest;
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
