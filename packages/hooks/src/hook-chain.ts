import { systemClock, type Clock, type ToolResult } from "@basis/core";
import type { Turn } from "./ask-participant.ts";
import { AuditTrail, type CallNote, type CallRecord } from "./audit-trail.ts";
import { ChainRun, type RunPorts, type RunSubject } from "./chain-run.ts";
import {
  ALLOW,
  type HookFailure,
  type HookOutcome,
  type PostOutcome,
  type PreOutcome,
} from "./hook-decision.ts";
import {
  fromCall,
  fromResult,
  MAX_REQUEST_BYTES,
  type HookCall,
  type HookEvent,
  type HookRequest,
} from "./hook-request.ts";
import type { HookReport, Reporter } from "./hook-report.ts";
import type { Participant, ParticipantInfo } from "./interceptor.ts";
import { PlanCache } from "./plan-cache.ts";
import { listed, takeSeat, type Seat } from "./seat.ts";

/** How a chain is set up. */
export interface HookChainOptions {
  /** The root this chain guards; every request names it. */
  readonly workspace: string;
  /** Asked by rank (interceptors, global hooks, workspace hooks) and within a rank in this order. */
  readonly participants: readonly Participant[];
  /** Default: one line to `console.error`. */
  readonly report?: Reporter | undefined;
  /** Receives the record of each call that has an applicable chain, as soon as it is decided. */
  readonly onTrail?: ((record: CallRecord) => void) | undefined;
  /** Awaited by `close`, after everybody was cut off: for participants that hold something open. */
  readonly onClose?: (() => Promise<void>) | undefined;
  /** Calls that `trail` remembers. Default 100. */
  readonly trailSize?: number | undefined;
  /** Beyond this many bytes of input or result a call is denied. Default 8 MiB. */
  readonly maxRequestBytes?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** What one call adds. */
export interface AskOptions {
  /** The turn's signal: once it aborts, whoever is asked is cut off and the call is denied. */
  readonly signal?: AbortSignal | undefined;
}

/** The chain of guards around tool calls. Its methods never throw and never reject: every failure is an outcome with words. */
export interface HookChain {
  readonly workspace: string;
  /** Everybody in the order of asking. */
  readonly participants: readonly ParticipantInfo[];
  /** Records of the last calls, oldest first. */
  readonly trail: readonly CallRecord[];
  /** Asks before a call runs. Synchronous while every participant answers synchronously. */
  beforeCall(call: HookCall, options?: AskOptions): PreOutcome | Promise<PreOutcome>;
  /** Asks after a call has run; `call.inputJson` is the input it ran with. */
  afterCall(call: HookCall, result: ToolResult, options?: AskOptions): PostOutcome | Promise<PostOutcome>;
  /** Cuts off whoever is being asked; later calls are denied. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes a chain of participants.
 *
 * @throws HookError `invalid_participant`.
 */
export function createHookChain(options: HookChainOptions): HookChain {
  return new Chain(options);
}

const DEFAULT_TRAIL_SIZE = 100;

/** One question to the chain. `build` makes the request, once somebody will see it. */
interface ChainQuestion {
  readonly event: HookEvent;
  readonly call: HookCall;
  readonly signal: AbortSignal | undefined;
  build(): HookRequest;
}

class Chain implements HookChain, RunPorts {
  readonly workspace: string;
  readonly participants: readonly ParticipantInfo[];
  readonly #seats: readonly Seat[];
  readonly #report: Reporter;
  readonly #onTrail: HookChainOptions["onTrail"];
  readonly #onClose: HookChainOptions["onClose"];
  readonly #maxBytes: number;
  readonly #trail: AuditTrail;
  readonly #closing = new AbortController();
  readonly #turn: Turn;
  readonly #plans: PlanCache;

  constructor(options: HookChainOptions) {
    this.workspace = options.workspace;
    this.#report = options.report ?? ((message) => console.error(message));
    this.#onTrail = options.onTrail;
    this.#onClose = options.onClose;
    this.#seats = options.participants.map(takeSeat).toSorted((left, right) => left.order - right.order);
    this.#plans = new PlanCache(this.#seats);
    this.participants = Object.freeze(this.#seats.map(listed));
    this.#maxBytes = options.maxRequestBytes ?? MAX_REQUEST_BYTES;
    this.#trail = new AuditTrail(options.trailSize ?? DEFAULT_TRAIL_SIZE);
    this.#turn = { clock: options.clock ?? systemClock, signals: [this.#closing.signal] };
  }

  get trail(): readonly CallRecord[] {
    return this.#trail.records();
  }

  beforeCall(call: HookCall, options?: AskOptions): PreOutcome | Promise<PreOutcome> {
    if (this.#seats.length === 0) return this.#closing.signal.aborted ? CLOSED : ALLOW;
    const request = { workspace: this.workspace, maxBytes: this.#maxBytes };
    const build = (): HookRequest => fromCall("pre_tool_use", call, request);
    const question = { event: "pre_tool_use", call, signal: options?.signal, build } as const;
    return this.#ask(question) as PreOutcome | Promise<PreOutcome>;
  }

  afterCall(call: HookCall, result: ToolResult, options?: AskOptions): PostOutcome | Promise<PostOutcome> {
    if (this.#seats.length === 0) return this.#closing.signal.aborted ? CLOSED : ALLOW;
    const request = { workspace: this.workspace, maxBytes: this.#maxBytes };
    const build = (): HookRequest => fromResult(call, result, request);
    const question = { event: "post_tool_use", call, signal: options?.signal, build } as const;
    return this.#ask(question) as PostOutcome | Promise<PostOutcome>;
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the hook chain was closed"));
    await this.#onClose?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  onBroken(run: ChainRun, seat: Seat, failure: HookFailure): void {
    const { event, toolCallId } = run.subject;
    this.#tell(`${seat.who} ${failure.detail}`, {
      kind: "failure",
      who: seat.who,
      event,
      toolCallId,
      failure,
    });
  }

  onEnd(run: ChainRun, outcome: HookOutcome): void {
    const { toolCallId, event, agentId, toolName } = run.subject;
    this.#remember({
      toolCallId,
      event,
      agentId,
      toolName,
      decision: outcome.decision,
      reason: outcome.decision === "allow" ? undefined : outcome.reason,
      ms: run.elapsedMs,
      answers: run.answers,
      seats: this.#seats,
      plan: run.plan,
      reached: run.reached,
    });
  }

  onCrash(error: unknown): HookOutcome {
    return denial(error instanceof Error ? error.message : "it failed");
  }

  #ask(question: ChainQuestion): HookOutcome | Promise<HookOutcome> {
    try {
      if (this.#closing.signal.aborted) return CLOSED;
      const { event, call, signal } = question;
      const plan = this.#plans.planFor(event, call.toolName);
      const turn =
        signal === undefined ? this.#turn : { ...this.#turn, signals: [...this.#turn.signals, signal] };
      const { toolCallId, agentId, toolName } = call;
      const subject = { toolCallId, event, agentId, toolName };
      if (plan.length === 0) return this.#askNobody(subject);
      if (isLarger(call.inputJson, this.#maxBytes)) {
        return denial(
          `the input is larger than ${this.#maxBytes} bytes, more than participants are asked with`,
        );
      }
      return new ChainRun({ plan, subject, turn, ports: this, build: question.build }).proceed();
    } catch (error) {
      return this.onCrash(error);
    }
  }

  /** The trail says that a call passed without anybody having been asked. */
  #askNobody({ toolCallId, event, agentId, toolName }: RunSubject): HookOutcome {
    this.#remember({
      toolCallId,
      event,
      agentId,
      toolName,
      decision: "allow",
      reason: undefined,
      ms: 0,
      answers: [],
      seats: this.#seats,
      plan: [],
      reached: 0,
    });
    return ALLOW;
  }

  #remember(note: CallNote): void {
    this.#trail.add(note);
    if (this.#onTrail === undefined) return;
    try {
      this.#onTrail(this.#trail.recordOf(note));
    } catch (error) {
      this.#tell(`onTrail threw an error: ${String(error)}`, { kind: "warning" });
    }
  }

  /** A reporter that throws must not decide a call. */
  #tell(message: string, report: HookReport): void {
    try {
      this.#report(message, report);
    } catch {
      // nobody is left to tell
    }
  }
}

function denial(why: string): { readonly decision: "deny"; readonly reason: string } {
  return { decision: "deny", reason: `denied by the hook chain: ${why}` };
}

const CLOSED = Object.freeze(denial("it is closed"));

function isLarger(text: string, maxBytes: number): boolean {
  if (text.length * 3 <= maxBytes) return false;
  return text.length > maxBytes || new TextEncoder().encode(text).length > maxBytes;
}
