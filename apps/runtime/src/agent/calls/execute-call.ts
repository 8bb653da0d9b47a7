import { DeadlineError, isBasisError, WithSignal, type Clock } from "@basis/core";
import { caught, whenThere, type Later } from "../../events/event-log.ts";
import { secrets } from "../../secrets/secrets.ts";
import { StreamRedactor } from "../../secrets/stream-redactor.ts";
import type { UseUp } from "../../store/host-ledger.ts";
import { textOutcome, type Tool, type ToolContext, type ToolOutcome } from "../../tools/tool.ts";
import { requestToRun, levelOf, type ReadyCall } from "./authorize-call.ts";
import type { CallGuards } from "./call-guards.ts";
import { eventCall, type QueuedCall } from "./queued-call.ts";
import { Cue } from "../run/cue.ts";
import type { RunContext } from "../run/run-context.ts";
import { failedOutcome } from "./tool-failure.ts";
import { ChildWaitsError } from "../children/waiting-child.ts";

/** How long a tool that was told to stop is waited for. */
const GRACE_MS = 5_000;

/** A call that was allowed. */
export interface AllowedCall {
  readonly call: QueuedCall;
  readonly ready: ReadyCall;
  readonly guards: CallGuards;
}

/** Uses the approval up, records the intent, runs the tool, and lets the guards see what came out. */
export async function executeCall(run: RunContext, allowed: AllowedCall): Promise<ToolOutcome> {
  const { call, ready, guards } = allowed;
  const bound = requestToRun(run, call, ready);
  const { digest } = bound instanceof Promise ? await bound : bound;
  run.ending.throwIfAborted();
  const redeemed = redeem(run, call, { ready, digest });
  const stale = redeemed instanceof Promise ? await redeemed : redeemed;
  if (stale !== undefined) return stale;
  const confirmed = levelOf(ready) === "none" ? undefined : run.writer.confirm();
  if (confirmed instanceof Promise) await confirmed;
  run.emit("tool_started", {
    call_key: call.callKey,
    tool_call_id: call.toolCallId,
    tool_name: call.toolName,
    input: ready.input as never,
    digest,
  });
  const outcome = await runTool(run, call, ready);
  return guards.result(ready.input, outcome);
}

/** Goes on with a call that began in an earlier run: nothing is used up again. */
export async function resumeCall(
  run: RunContext,
  { call, ready, guards }: AllowedCall,
): Promise<ToolOutcome> {
  run.ending.throwIfAborted();
  await run.writer.confirm();
  return guards.result(ready.input, await runTool(run, call, ready));
}

/**
 * One transaction on the session's fence: the approval is used up and the intent recorded. Answers why the call is
 * not to run, if so.
 */
function redeem(
  run: RunContext,
  call: QueuedCall,
  { ready, digest }: { readonly ready: ReadyCall; readonly digest: string },
): Later<ToolOutcome | undefined> {
  const { gate, ledger, writer, scope, clock } = run;
  const level = levelOf(ready);
  const { callKey, toolCallId, toolName } = call;
  const use = (): Later<undefined> => {
    if (level === "none") {
      gate.redeemSync({ callKey, digest });
      return undefined;
    }
    const { session: sessionId, run: runId } = scope;
    const useUp: UseUp = oncePerWrite((store) => gate.redeemSync({ callKey, digest }, { store }));
    const startedAt = clock.now();
    const intent = { callKey, sessionId, runId, toolCallId, toolName, level, digest, startedAt };
    const written = writer.update({ join: (tx) => ledger.begin(tx, intent, useUp) });
    return whenThere(written, () => undefined);
  };
  return caught<ToolOutcome | undefined>(use, (error) => tellStale(run, call, error));
}

function tellStale(run: RunContext, call: QueuedCall, error: unknown): ToolOutcome {
  if (!isBasisError(error, "ApprovalError")) throw error;
  const reason = error.message;
  run.emit("permission_resolved", { ...eventCall(call), decision: "deny", by: "the approval gate", reason });
  return textOutcome(`Tool execution denied: ${reason}`, true);
}

/**
 * A write may be tried again when its transaction did not stand. What the gate holds in memory is spent by then, and
 * by this very write: that counts as used up, and anything else as it comes.
 */
function oncePerWrite(redeem: UseUp): UseUp {
  let spentHere = false;
  return (store) => {
    try {
      redeem(store);
      spentHere = true;
    } catch (error) {
      const spent = isBasisError(error, "ApprovalError") && error.details["cause"] === "redeemed";
      if (!spent || !spentHere) throw error;
    }
  };
}

function runTool(run: RunContext, call: QueuedCall, ready: ReadyCall): Promise<ToolOutcome> {
  if (run.trace === undefined) return runWithinLimit(run, call, ready);
  const { callKey, toolCallId, toolName } = call;
  const traced = { callKey, toolCallId, toolName, source: ready.tool.source };
  return run.trace.tool(traced, () => runWithinLimit(run, call, ready));
}

/** Runs the tool under its own deadline; one that is told to stop has a moment to end what it began. */
async function runWithinLimit(
  run: RunContext,
  call: QueuedCall,
  { tool, input, prepared }: ReadyCall,
): Promise<ToolOutcome> {
  const { ending, release } = limitOf(run, tool);
  const shown = new ShownProgress(run, call);
  const context = new CallContext(ending, (text) => shown.take(text));
  try {
    const work = prepared ? prepared.execute(context) : tool.execute(input, context);
    const outcome = await (prepared?.endsItself ? work : untilSettled(work, ending, run.clock));
    ending.throwIfAborted();
    return outcome;
  } catch (error) {
    run.ending.throwIfAborted();
    if (error instanceof ChildWaitsError) throw error;
    if (ending.aborted)
      return textOutcome(`'${tool.name}' did not answer within ${tool.timeoutMs}ms and was stopped`, true);
    return failedOutcome(run, call, error);
  } finally {
    shown.end();
    release?.();
  }
}

/** What a call shows of its progress while it runs, without secrets. */
class ShownProgress {
  readonly #run: RunContext;
  readonly #call: QueuedCall;
  #redactor: StreamRedactor | undefined;
  #ended = false;

  constructor(run: RunContext, call: QueuedCall) {
    this.#run = run;
    this.#call = call;
  }

  take(text: string): void {
    if (!this.#ended) this.#tell((this.#redactor ??= new StreamRedactor(secrets)).take(text));
  }

  end(): void {
    this.#ended = true;
    if (this.#redactor !== undefined) this.#tell(this.#redactor.end());
  }

  #tell(text: string): void {
    if (text !== "") this.#run.emit("tool_progress", { ...eventCall(this.#call), text });
  }
}

class CallContext extends WithSignal implements ToolContext {
  readonly progress: (text: string) => void;

  constructor(ending: Cue, progress: (text: string) => void) {
    super(ending);
    this.progress = progress;
  }
}

/** What ends one execution early. */
interface Limit {
  readonly ending: Cue;
  readonly release?: () => void;
}

/** The run's own end, or before it the tool's deadline where it has one. */
function limitOf({ ending, clock }: RunContext, { timeoutMs }: Tool): Limit {
  if (timeoutMs === undefined) return { ending };
  const sooner = new Cue();
  ending.lead(sooner);
  const stopAlarm = clock.alarm(timeoutMs, () => sooner.abort(new DeadlineError(timeoutMs)));
  const release = (): void => {
    stopAlarm();
    ending.leave(sooner);
  };
  return { ending: sooner, release };
}

/** Waits for the work; once its end is asked for, for a moment only. Rejects with that reason then. */
function untilSettled<T>(work: Promise<T>, ending: Cue, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    let stopGrace: (() => void) | undefined;
    const unwatch = ending.onAbort(() => {
      stopGrace = clock.alarm(GRACE_MS, () => reject(ending.reason));
    });
    const settle = (): void => {
      unwatch();
      stopGrace?.();
    };
    Promise.resolve(work).then(
      (value) => {
        settle();
        resolve(value);
      },
      (error: unknown) => {
        settle();
        reject(error);
      },
    );
  });
}
