/// <reference lib="esnext.disposable" preserve="true" />
import { systemClock, type Abortable, type Clock, type ToolResult } from "@basis/core";
import type { Turn } from "./ask-participant.ts";
import { AuditTrail, recordOf, type CallNote, type CallRecord, type CallSubject } from "./audit-trail.ts";
import { ChainRun, type RunPorts } from "./chain-run.ts";
import { NotJsonError } from "./frozen-json.ts";
import {
  ALLOW,
  type HookFailure,
  type HookOutcome,
  type PostOutcome,
  type PreOutcome,
} from "./hook-decision.ts";
import { HookError } from "./hook-error.ts";
import { fromCall, fromResult, type HookCall, type RequestOptions } from "./hook-request.ts";
import type { HookReport, Reporter } from "./hook-report.ts";
import { takeSeat, type Participant, type ParticipantInfo, type Seat } from "./participant.ts";
import { planCache } from "./participant-filter.ts";
import { describeThrown, observe } from "./thrown.ts";

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
  readonly signal?: Abortable | undefined;
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
  if (!Array.isArray(options?.participants))
    throw new HookError("invalid_participant", "a chain needs `participants`: a list, empty for no guard", {
      details: { name: "" },
    });
  return new Chain(options);
}

class Chain implements HookChain, RunPorts {
  readonly workspace: string;
  readonly participants: readonly ParticipantInfo[];
  readonly #seats: readonly Seat[];
  readonly #report: Reporter;
  readonly #onTrail: HookChainOptions["onTrail"];
  readonly #onClose: HookChainOptions["onClose"];
  readonly #limits: RequestOptions;
  readonly #trail: AuditTrail;
  readonly #closing = new AbortController();
  readonly #turn: Turn;
  readonly #planFor: ReturnType<typeof planCache>;

  constructor(options: HookChainOptions) {
    this.workspace = options.workspace;
    this.#report = options.report ?? ((message) => console.error(message));
    this.#onTrail = options.onTrail;
    this.#onClose = options.onClose;
    this.#seats = options.participants.map(takeSeat).toSorted((left, right) => left.order - right.order);
    this.#planFor = planCache(this.#seats);
    this.participants = Object.freeze(this.#seats.map(({ info }) => info));
    this.#limits = { workspace: options.workspace, maxBytes: options.maxRequestBytes };
    this.#trail = new AuditTrail(options.trailSize ?? 100);
    this.#turn = { clock: options.clock ?? systemClock, signals: [this.#closing.signal] };
  }

  get trail(): readonly CallRecord[] {
    return this.#trail.records();
  }

  beforeCall(call: HookCall, options?: AskOptions): PreOutcome | Promise<PreOutcome> {
    return this.#ask(call, undefined, options) as PreOutcome | Promise<PreOutcome>;
  }

  afterCall(call: HookCall, result: ToolResult, options?: AskOptions): PostOutcome | Promise<PostOutcome> {
    return this.#ask(call, { result }, options) as PostOutcome | Promise<PostOutcome>;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#onClose?.();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  onBroken(run: ChainRun, seat: Seat, failure: HookFailure): void {
    const { event, toolCallId } = run.subject;
    const { who } = seat;
    this.#tell(`${who} ${failure.detail}`, { kind: "failure", who, event, toolCallId, failure });
  }

  onEnd(run: ChainRun, outcome: HookOutcome): HookOutcome {
    // In an aborted turn nobody allows anything, also where it was a shadow that was cut off.
    const isLost = run.isAborted && outcome.decision !== "deny";
    return this.#decide(run.subject, isLost ? denial("the turn was aborted") : outcome, run);
  }

  onCrash(subject: CallSubject, error: unknown): HookOutcome {
    const { event, toolCallId } = subject;
    this.#tell(`the hook chain could not ask: ${describeThrown(error)}`, {
      kind: "failure",
      event,
      toolCallId,
    });
    return this.#decide(subject, denial(error instanceof NotJsonError ? error.message : "it could not ask"));
  }

  #ask(
    call: HookCall,
    after: { readonly result: ToolResult } | undefined,
    options: AskOptions | undefined,
  ): HookOutcome | Promise<HookOutcome> {
    if (this.#closing.signal.aborted) return CLOSED;
    if (this.#seats.length === 0) return ALLOW;
    const event = after ? "post_tool_use" : "pre_tool_use";
    let subject: CallSubject = { toolCallId: "", event, agentId: "", toolName: "" };
    try {
      const { toolCallId, agentId, toolName, effectOf } = call;
      subject = { toolCallId, event, agentId, toolName };
      // A host without types may spell them otherwise; then no filter could judge the call.
      if (typeof toolName !== "string" || typeof call.inputJson !== "string")
        throw new TypeError("toolName or inputJson is no text");
      const plan = this.#planFor(event, toolName);
      if (plan.length === 0) return this.#decide(subject, ALLOW);
      const request = after
        ? fromResult(call, after.result, this.#limits)
        : fromCall("pre_tool_use", call, this.#limits);
      const turn = this.#turnOf(options?.signal);
      return new ChainRun({ plan, subject, request, effectOf, turn, ports: this }).proceed();
    } catch (error) {
      return this.onCrash(subject, error);
    }
  }

  #turnOf(signal: Abortable | undefined): Turn {
    const { clock, signals } = this.#turn;
    return signal ? { clock, signals: [...signals, signal] } : this.#turn;
  }

  /** Notes what the call came to. Without a run nobody was asked. */
  #decide(subject: CallSubject, outcome: HookOutcome, run?: ChainRun): HookOutcome {
    const note: CallNote = {
      subject,
      decision: outcome.decision,
      reason: "reason" in outcome ? outcome.reason : undefined,
      seats: this.#seats,
      ms: run?.elapsedMs ?? 0,
      answers: run?.answers ?? [],
      unreached: run?.unreached ?? [],
      record: undefined,
    };
    this.#trail.add(note);
    const onTrail = this.#onTrail;
    if (onTrail !== undefined) {
      const warn = (error: unknown): void =>
        this.#tell(`onTrail threw an error: ${describeThrown(error)}`, { kind: "warning" });
      observe(() => onTrail(recordOf(note)), warn);
    }
    return outcome;
  }

  /** A reporter that throws must not decide a call. */
  #tell(message: string, report: HookReport): void {
    observe(
      () => this.#report(message, report),
      () => undefined,
    );
  }
}

function denial(why: string): { readonly decision: "deny"; readonly reason: string } {
  return { decision: "deny", reason: `denied by the hook chain: ${why}` };
}

const CLOSED = Object.freeze(denial("it is closed"));
