import { DeadlineError, joinSignals, newId, type RunReport } from "@basis/core";
import type { Clock } from "@basis/core";
import type { ApprovalGate } from "@basis/approval";
import type { HookChain } from "@basis/hooks";
import type { EventEmitter, EventScope } from "../events/event-emitter.ts";
import type { EventData } from "../events/event-schema.ts";
import type { HostLedger } from "../store/host-ledger.ts";
import type { HostStore } from "../store/host-store.ts";
import type { RoundPorts } from "./dispatch-round.ts";
import { closeRun } from "./close-run.ts";
import { healSession } from "./heal-session.ts";
import type { RunBounds } from "./run-bounds.ts";
import type { AgentSetup, Emit, RunContext } from "./run-context.ts";
import { endOfError, type RunEnd } from "./run-end.ts";
import { runRounds } from "./run-rounds.ts";
import { RunUsage } from "./run-usage.ts";
import { SessionWriter } from "./session-writer.ts";
import type { TurnDirector } from "./turn-director.ts";

/** What every turn of a host shares. */
export interface TurnPorts extends RoundPorts {
  readonly store: HostStore;
  readonly ledger: HostLedger<never>;
  readonly events: EventEmitter;
  readonly hooks: Pick<HookChain, "beforeCall" | "afterCall">;
  readonly gate: ApprovalGate;
  readonly clock: Clock;
}

/** One turn to run. */
export interface Turn {
  readonly agent: AgentSetup;
  readonly sessionId: string;
  readonly root: string;
  /** Absent: the session goes on where it is, at a parked call or an unanswered message. */
  readonly prompt?: string | undefined;
  readonly director: (ports: RoundPorts) => TurnDirector;
  readonly bounds: RunBounds;
  /** Abort it with `StopError` to keep the work, with anything else to roll the turn back. */
  readonly signal: AbortSignal;
  readonly parent?: EventScope["parent"];
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

/** A prompt for a session whose turn waits for an approval. */
export class ParkedSessionError extends Error {
  override readonly name = "ParkedSessionError";
  readonly approvalId: string;

  constructor(approvalId: string) {
    super(`the session waits for approval ${approvalId}; answer it, then go on without a new prompt`);
    this.approvalId = approvalId;
  }
}

/**
 * Runs one turn of an agent in its session. Resolves with the account on every path once the session's lease is held.
 *
 * @throws SessionError when the session cannot be written: `lease_held`, `unknown_session`, `session_unavailable`.
 * @throws ParkedSessionError
 */
export async function runTurn(turn: Turn, ports: TurnPorts): Promise<FinishedTurn> {
  const scope = { session: turn.sessionId, run: newId(), ...(turn.parent && { parent: turn.parent }) };
  const emit: Emit = (type, data) => ports.events.emit(scope, type, data);
  const { store, clock } = ports;
  const waiting = (text: string): void => emit("notice", { text });
  const writer = await SessionWriter.open(store, turn.sessionId, { clock, signal: turn.signal, waiting });
  const deadline = new AbortController();
  const joined = joinSignals(turn.signal, writer.lost, deadline.signal);
  const stopAlarm = watchDeadline(turn.bounds, clock, deadline);
  const { agent, root, bounds } = turn;
  const { hooks, gate, ledger } = ports;
  const usage = new RunUsage();
  const run: RunContext = {
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
    signal: joined.signal,
    emit,
  };
  turn.bind?.(run);
  try {
    return { report: await runWith(run, turn, ports), usage };
  } finally {
    stopAlarm();
    joined.release();
    await writer.close();
    ports.events.flush();
  }
}

async function runWith(run: RunContext, turn: Turn, ports: TurnPorts): Promise<RunReport> {
  const { agent, writer, emit, clock } = run;
  const { store, ledger } = ports;
  const { provider, id } = agent.model.ref;
  emit("run_started", { schema: 1, agent: agent.agentId, model: { provider, id }, ...turn.started });
  const from = writer.len;
  let end: RunEnd;
  let text = "";
  try {
    const parked = await healSession(turn.sessionId, { store, ledger, writer, now: clock.now(), emit });
    const [waiting] = parked;
    if (waiting !== undefined && turn.prompt !== undefined) throw new ParkedSessionError(waiting.approvalId);
    const ended = await runRounds(run, {
      store,
      parked,
      prompt: turn.prompt,
      director: turn.director(ports),
      ports,
    });
    end = ended.end;
    text = ended.text;
  } catch (error) {
    if (error instanceof ParkedSessionError) {
      emit("run_finished", { status: "parked", usage: run.usage.toEvent() });
      throw error;
    }
    end = endOfError(error, run.signal);
  }
  return closeRun(run, { end, text, from, ports });
}

/** Aborts the controller at the run's deadline; the answer cancels that. */
function watchDeadline(bounds: RunBounds, clock: Clock, deadline: AbortController): () => void {
  const ms = bounds.remainingMs();
  return ms === undefined ? () => undefined : clock.alarm(ms, () => deadline.abort(new DeadlineError(ms)));
}
