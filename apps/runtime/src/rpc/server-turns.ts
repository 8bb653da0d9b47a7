import { untilAborted } from "@basis/core";
import { isSessionError } from "@mobkit/session";
import type { OutputSpec } from "@basis/typed-output";
import type { PreparedRun, Runtime } from "../compose.ts";
import type { BoundsOptions } from "../agent/run/run-bounds.ts";
import type { HeldWorkspace, TurnWorkspaces } from "../host/live-workspace.ts";
import type { PromptInput } from "../images/prompt.ts";
import { StopError } from "../agent/turn/run-end.ts";
import { redactionsOf } from "../store/prompt-calls.ts";
import { loggedEnd } from "./logged-end.ts";
import { RpcError } from "./rpc-error.ts";
import { endOf, notFound, refusalOf, type FinishedTurn, type TurnEnd, type TurnNames } from "./turn-end.ts";
import type { Turns } from "./turns.ts";

/** Which turn to run. */
export interface TurnRequest {
  /** The id of the session to go on in; absent: a new one. */
  readonly session?: string | undefined;
  /** The agent of the workspace that a new session is begun as. */
  readonly agent?: string | undefined;
  /** The name of a new session's member. */
  readonly member?: string | undefined;
  /** Absent: the session goes on where it waits. */
  readonly prompt?: PromptInput | undefined;
  /** The value that it answers with; absent: it answers in prose. */
  readonly output?: OutputSpec<unknown> | undefined;
  readonly bounds: BoundsOptions;
}

interface Turn extends TurnNames {
  readonly prepared: PreparedRun;
  readonly ended: Promise<TurnEnd>;
  /** Redactions of the store before it began. */
  readonly generation: number;
  isOver: boolean;
}

/** Most turns at once. */
const MAX_TURNS = 32;
/** Turns that have ended and whose end is still known. */
const MAX_ENDED = 256;

/** The turns that a server runs: one at a time in a session. */
export class ServerTurns implements Turns {
  readonly #runtime: Pick<Runtime, "prepare" | "state">;
  readonly #workspaces: TurnWorkspaces;
  readonly #turns = new Map<string, Turn>();
  /** The sessions in which a turn runs, or is about to. */
  readonly #taken = new Set<string>();
  readonly #starting = new Set<Promise<unknown>>();
  /** Turns that run or are about to. */
  #count = 0;
  #closed = false;

  constructor(runtime: Pick<Runtime, "prepare" | "state">, workspaces: TurnWorkspaces) {
    this.#runtime = runtime;
    this.#workspaces = workspaces;
  }

  /**
   * Starts a turn; resolves once it has begun.
   *
   * @throws RpcError `busy` while a turn of this server runs in the session, `overloaded`, `unavailable`.
   * @throws SessionError `lease_held` while another process runs one; `member_already_exists`.
   */
  async start(request: TurnRequest): Promise<TurnNames> {
    if (this.#closed) throw ending();
    if (this.#count >= MAX_TURNS) throw new RpcError("overloaded", `${MAX_TURNS} turns run already`);
    const { session: sessionId } = request;
    if (sessionId !== undefined) this.#take(sessionId);
    this.#count += 1;
    const starting = this.#begin(request).finally(() => this.#starting.delete(starting));
    this.#starting.add(starting);
    return starting;
  }

  /** How a turn ended, once it has; what has been redacted or deleted since is not told again. @throws RpcError `not_found`. */
  async wait(run: string, signal: AbortSignal): Promise<TurnEnd> {
    const turn = this.#find(run);
    const { ended, isOver } = turn;
    const end = await untilAborted(signal, () => ended);
    if (!isOver || (await this.#isUntouched(turn, signal))) return end;
    const { session, member } = turn;
    const told = await loggedEnd(this.#runtime.state.events, { run, session, member });
    if (told === undefined) throw notFound(run);
    return told;
  }

  async #isUntouched({ session, generation }: Turn, signal: AbortSignal): Promise<boolean> {
    const { store } = this.#runtime.state;
    if ((await redactionsOf(store, { signal })) !== generation) return false;
    const { state } = await store.head(session, { signal }).catch(goneIfUnknown);
    return state !== "tombstone";
  }

  /** Asks a turn to end and keep its work; false when it has ended. @throws RpcError `not_found`. */
  stop(run: string): boolean {
    const turn = this.#find(run);
    turn.prepared.stop();
    return !turn.isOver;
  }

  /** Asks a turn to end and be rolled back; false when it has ended. @throws RpcError `not_found`. */
  cancel(run: string): boolean {
    const turn = this.#find(run);
    turn.prepared.cancel();
    return !turn.isOver;
  }

  /** The turns that run. */
  list(): readonly TurnNames[] {
    return [...this.#turns.values()]
      .filter(({ isOver }) => !isOver)
      .map(({ run, session, member }) => ({ run, session, member }));
  }

  /** Stops every turn, with its work kept, and waits for their ends. No other begins. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#starting);
    const running = [...this.#turns.values()].filter(({ isOver }) => !isOver);
    for (const { prepared } of running) prepared.stop();
    await Promise.allSettled(running.map(({ ended }) => ended));
  }

  #take(session: string): void {
    if (this.#taken.has(session))
      throw new RpcError("busy", `a turn runs in session ${session}: wait for it, or end it`, {
        kind: "turn_running",
      });
    this.#taken.add(session);
  }

  #free(session: string | undefined): void {
    this.#count -= 1;
    if (session !== undefined) this.#taken.delete(session);
  }

  async #begin(request: TurnRequest): Promise<TurnNames> {
    const { session: sessionId, agent, member, bounds } = request;
    let prepared: PreparedRun;
    let held: HeldWorkspace | undefined;
    let generation: number;
    try {
      generation = await redactionsOf(this.#runtime.state.store, new AbortController());
      held = await this.#workspaces.hold();
      prepared = await this.#runtime.prepare(held.facts, {
        staleness: held.problem,
        sessionId,
        agent,
        member,
        bounds,
      });
    } catch (error) {
      held?.release();
      this.#free(sessionId);
      throw error;
    }
    this.#taken.add(prepared.sessionId);
    if (this.#closed) prepared.stop();
    const { started, silence } = this.#hearStart(prepared.sessionId);
    const running = runTurn(prepared, request);
    const over = (): void => {
      silence();
      held.release();
      this.#free(prepared.sessionId);
    };
    running.then(over, over);
    // A run that is refused before it begins has no name; its error is the start's.
    const run = await Promise.race([started, running.then(({ report }) => report.runId)]).catch(
      (error: unknown) => {
        throw error instanceof StopError ? ending() : error;
      },
    );
    const names = { run, session: prepared.sessionId, member: prepared.member };
    this.#keep({
      ...names,
      prepared,
      generation,
      ended: running.then((end) => endOf(names, end), refusalOf(names)),
      isOver: false,
    });
    return names;
  }

  /** The run's id as its log tells it. Only one turn at a time begins in a session. */
  #hearStart(session: string): { readonly started: Promise<string>; silence(): void } {
    let silence = (): void => undefined;
    const started = new Promise<string>((resolve) => {
      silence = this.#runtime.state.events.listen((event) => {
        if (event.session === session && event.type === "run_started" && event.run !== undefined)
          resolve(event.run);
      });
    });
    return { started, silence };
  }

  #keep(turn: Turn): void {
    this.#turns.set(turn.run, turn);
    const over = (): void => {
      turn.isOver = true;
      const ended = [...this.#turns.values()].filter(({ isOver }) => isOver);
      for (const { run } of ended.slice(0, -MAX_ENDED)) this.#turns.delete(run);
    };
    turn.ended.then(over, over);
  }

  #find(run: string): Turn {
    const turn = this.#turns.get(run);
    if (turn === undefined) throw notFound(run);
    return turn;
  }
}

function goneIfUnknown(error: unknown): { readonly state: "tombstone" } {
  if (isSessionError(error, "unknown_session")) return { state: "tombstone" };
  throw error;
}

function ending(): RpcError {
  return new RpcError("unavailable", "the server is ending", { kind: "shutting_down" });
}

/** Runs the turn in prose, or to its value. A typed one that never began is refused as one in prose is. */
async function runTurn(prepared: PreparedRun, { prompt, output }: TurnRequest): Promise<FinishedTurn> {
  if (output === undefined) return { report: await prepared.run(prompt) };
  const attempt = await prepared.output(output, prompt);
  if (attempt.report !== undefined) return { report: attempt.report, attempt };
  if (attempt.status !== "unsupported") throw (attempt as { readonly error?: unknown }).error;
  throw new RpcError("unavailable", attempt.hint, { kind: "output_unsupported", retry: "never" });
}
