import { newId, type Clock, type RunReport } from "@basis/core";
import type { ApprovalGate } from "@basis/approval";
import type { HookChain } from "@basis/hooks";
import type { EventEmitter, EventScope } from "../../events/event-emitter.ts";
import { whenThere } from "../../events/event-log.ts";
import type { EventData } from "../../events/event-schema.ts";
import type { CancelWatch } from "./cancel-watch.ts";
import type { HostLedger } from "../../store/host-ledger.ts";
import type { TracePlace, Tracing } from "../../telemetry/run-trace.ts";
import type { RoundPorts } from "../calls/dispatch-round.ts";
import { beginTrace } from "./begin-trace.ts";
import { closeRun } from "./close-run.ts";
import { Cue } from "../run/cue.ts";
import { follow, hearRequests, watchDeadline } from "./run-ending.ts";
import { keepAccount, readAccount, type WaitingOutput } from "./kept-account.ts";
import type { TurnOpening } from "./open-turn.ts";
import { begunBefore, type QueuedRun } from "./queued-run.ts";
import type { RunBounds, TreeAccount } from "../run/run-bounds.ts";
import type { AgentSetup, Emit, RunContext } from "../run/run-context.ts";
import { endOfError, leaveOpen, ParkedSessionError, type RunEnd } from "./run-end.ts";
import { RunUsage } from "../run/run-usage.ts";
import { SessionWriter } from "../transcript/session-writer.ts";
import { takeTurn, type RunToEnd, type TurnSoFar } from "./take-turn.ts";
import type { TranscriptPorts } from "../transcript/transcript.ts";
import type { TurnDirector } from "./turn-director.ts";

export { ParkedSessionError };

/** What every turn of a host shares. */
export interface TurnPorts extends RoundPorts, TranscriptPorts {
  readonly ledger: HostLedger<never>;
  readonly events: EventEmitter;
  readonly hooks: Pick<HookChain, "beforeCall" | "afterCall">;
  readonly gate: ApprovalGate;
  readonly clock: Clock;
  /** Hears of cancels that other processes ask for. */
  readonly cancels: CancelWatch;
  /** How long a lease lasts that is not renewed. Default 15 s. */
  readonly leaseMs?: number | undefined;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing | undefined;
}

/** The bounds of a run, and what is to be let go of after it. */
export interface OpenBounds {
  readonly bounds: RunBounds;
  readonly release: () => void;
}

/** One turn to run. */
export interface Turn {
  readonly agent: AgentSetup;
  readonly sessionId: string;
  readonly root: string;
  /** Absent: the session goes on where it is, at a parked call or an unanswered message. */
  readonly prompt?: TurnOpening["prompt"];
  readonly director: (ports: RoundPorts) => TurnDirector;
  /** The typed answer that the turn ends with; kept while it waits. */
  readonly waitingOutput?: (() => WaitingOutput) | undefined;
  /** Opens the bounds when the run begins; `behind` is what the turn had used before it waited or died. */
  readonly openBounds: (runId: string, behind: TreeAccount | undefined) => OpenBounds;
  /** Each ends the turn: aborted with `StopError` keeping the work, with anything else rolling the turn back. */
  readonly signals: readonly (AbortSignal | Cue | undefined)[];
  readonly parent?: EventScope["parent"];
  /** Absent: a run of its own, under an id of its own. */
  readonly queued?: QueuedRun | undefined;
  /** Where a delegated child stands in its parent's trace. */
  readonly traced?: TracePlace | undefined;
  /** Told the run once it exists; for tools that act for it. */
  readonly bind?: ((run: RunContext) => void) | undefined;
  /** What `run_started` tells beside the agent. */
  readonly started: Omit<EventData<"run_started">, "schema" | "agent" | "model">;
}

/** A finished turn: its account, and what it and its children used. */
export interface FinishedTurn {
  readonly report: RunReport;
  readonly usage: RunUsage;
}

/**
 * Runs one turn of an agent in its session. Resolves with the account on every path once the session's lease is held.
 *
 * @throws SessionError when the session cannot be written: `lease_held`, `unknown_session`, `session_unavailable`.
 * @throws ParkedSessionError
 * @throws RunOverError, RunGivenAwayError, HandBackError, LeaseLostError for a queued run, which another worker goes on with.
 */
export async function runTurn(turn: Turn, ports: TurnPorts): Promise<FinishedTurn> {
  const { sessionId, queued } = turn;
  const { store, clock, events, leaseMs, cancels } = ports;
  const waiting = (text: string): void => events.emit({ session: sessionId }, "notice", { text });
  const ending = new Cue();
  const undo = [follow(turn.signals, ending)];
  let writer: SessionWriter | undefined;
  try {
    const opened = SessionWriter.open(store, sessionId, { clock, waiting, ending, leaseMs });
    writer = opened instanceof Promise ? await opened : opened;
    const begun = queued && (await begunBefore(queued, { store, events, head: writer.head }));
    const prompt = begun?.isWritten === true ? undefined : turn.prompt;
    const runId = queued?.id ?? newId();
    const behind = prompt === undefined ? await readAccount(store, sessionId) : undefined;
    const { bounds, release } = turn.openBounds(runId, behind);
    undo.push(release, watchDeadline(bounds, clock, ending), hearRequests(cancels, runId, ending));
    const { tracing } = ports;
    const trace = tracing && (await beginTrace(turn, { tracing, events }, { run: runId, head: writer.head }));
    const run = runOf(turn, ports, { runId, writer, bounds, ending, trace });
    return { report: await runToEnd(run, { turn, ports, begun, prompt }), usage: run.usage };
  } finally {
    for (const step of undo) step();
    const closed = whenThere(writer?.close(), () => events.flush());
    if (closed instanceof Promise) await closed;
  }
}

/** What a run is made from, beside its turn. */
type RunParts = Pick<RunContext, "writer" | "bounds" | "ending" | "trace"> & { readonly runId: string };

function runOf(turn: Turn, ports: TurnPorts, { runId, writer, bounds, ending, trace }: RunParts): RunContext {
  const { agent, root, sessionId: session, parent } = turn;
  const { hooks, gate, ledger, clock, events, blobs } = ports;
  const scope = parent === undefined ? { session, run: runId } : { session, run: runId, parent };
  let over = false;
  const emit: Emit = (type, data) => {
    if (!over) {
      events.emit(scope, type, data);
      trace?.hear(type, data);
    }
    over ||= type === "run_finished";
  };
  const usage = new RunUsage();
  if (parent === undefined)
    bounds.keepBy(() => writer.update({ sideState: keepAccount(bounds, turn.waitingOutput?.()) }));
  return {
    agent,
    scope,
    root,
    hooks,
    gate,
    ledger,
    writer,
    bounds,
    usage,
    clock,
    ending,
    emit,
    trace,
    blobs,
  };
}

function tellStart({ agent, emit, trace }: RunContext, { started }: Turn): void {
  const { provider, id } = agent.model.ref;
  const traced = trace && { traceparent: trace.traceparent };
  emit("run_started", { schema: 1, agent: agent.agentId, model: { provider, id }, ...started, ...traced });
}

async function runToEnd(run: RunContext, { turn, ports, begun, prompt }: RunToEnd): Promise<RunReport> {
  const { writer, emit, ending } = run;
  turn.bind?.(run);
  if (begun?.isTold !== true) tellStart(run, turn);
  const from = writer.len;
  const so: TurnSoFar = { rollBackTo: writer.head.settledLen, text: "" };
  let end: RunEnd;
  try {
    end = await takeTurn(run, { turn, ports, begun, prompt, so });
  } catch (error) {
    leaveOpen(error, ending, turn.queued !== undefined);
    if (error instanceof ParkedSessionError) {
      const { approvalId } = error;
      emit("run_finished", { status: "parked", approval_id: approvalId, usage: run.usage.toEvent() });
      throw error;
    }
    end = endOfError(error, ending);
  }
  const { text, rollBackTo } = so;
  const closed = closeRun(run, { text, rollBackTo, end, from, ports, turn });
  const report = closed instanceof Promise ? await closed : closed;
  so.transcript?.keep();
  return report;
}
