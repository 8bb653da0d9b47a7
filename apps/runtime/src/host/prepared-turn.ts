import { joinSignals, type RunReport } from "@basis/core";
import { definitionsFor } from "../agent/model/build-request.ts";
import { Cue } from "../agent/run/cue.ts";
import { readWaitingOutput, type WaitingOutput } from "../agent/turn/kept-account.ts";
import { plainDirector } from "../agent/turn/plain-director.ts";
import { CancelError, StopError } from "../agent/turn/run-end.ts";
import { runTurn, type Turn, type TurnPorts } from "../agent/turn/run-turn.ts";
import {
  turnBounds,
  typedRunner,
  type TypedBeginning,
  type TypedRunner,
} from "../agent/typed/typed-runner.ts";
import type { HostStore } from "../store/host-store.ts";
import type { RunRequest } from "./prepare-run.ts";

/** A run that may start. */
export interface PreparedTurn {
  readonly sessionId: string;
  readonly member: string;
  /** Makes the runner of a typed run. */
  typed(beginning: TypedBeginning): Promise<TypedRunner>;
  /** The typed answer that the session's waiting turn ends with, if it waits for one. */
  waitingOutput(): Promise<WaitingOutput | undefined>;
  /** The bounds as a typed run holds them. */
  readonly bounds: ReturnType<typeof turnBounds>;
  run(prompt?: Turn["prompt"]): Promise<RunReport>;
  /** Runs `work` under a signal that follows `cancel`, the request's and `more`, and lets go of them after it. */
  cancellable<T>(more: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Ends the run and keeps its work. */
  stop(): void;
  /** Ends the run and rolls its turn back. */
  cancel(): void;
}

/** A turn before anybody says what to do in it. */
export type UnaskedTurn = Omit<Turn, "director" | "prompt" | "signals">;

/** What a turn is run with. */
interface MainTurnParts {
  readonly store: HostStore;
  readonly member: string;
  readonly request: RunRequest;
  readonly ports: TurnPorts;
}

/** Many may wait to be started, so that each holds little. */
export class MainTurn implements PreparedTurn {
  readonly #turn: UnaskedTurn;
  readonly #parts: MainTurnParts;
  readonly #stopping = new Cue();
  readonly #cancelling = new Cue();

  constructor(turn: UnaskedTurn, parts: MainTurnParts) {
    this.#turn = turn;
    this.#parts = parts;
  }

  get sessionId(): string {
    return this.#turn.sessionId;
  }

  get member(): string {
    return this.#parts.member;
  }

  get bounds(): PreparedTurn["bounds"] {
    return turnBounds(this.#parts.request.bounds ?? {});
  }

  typed(beginning: TypedBeginning): Promise<TypedRunner> {
    const turn = { ...this.#turn, stopping: this.#stopping };
    return typedRunner(turn, definitionsFor(turn.agent), this.#parts.ports)(beginning);
  }

  waitingOutput(): Promise<WaitingOutput | undefined> {
    return readWaitingOutput(this.#parts.store, this.sessionId);
  }

  async cancellable<T>(more: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const joined = joinSignals(this.#cancelling.signal, this.#parts.request.signal, more);
    return work(joined.signal).finally(joined.release);
  }

  run(prompt?: Turn["prompt"]): Promise<RunReport> {
    const { ports, request } = this.#parts;
    const { agent, sessionId, queued, root, openBounds, started, bind } = this.#turn;
    const director: Turn["director"] = (roundPorts) => plainDirector(definitionsFor(agent), roundPorts);
    const signals = [this.#cancelling, request.signal, this.#stopping];
    const whole = { agent, sessionId, queued, root, openBounds, started, bind, prompt, director, signals };
    return runTurn(whole, ports).then(({ report }) => report);
  }

  stop(): void {
    this.#stopping.abort(new StopError("the run was stopped"));
  }

  cancel(): void {
    this.#cancelling.abort(new CancelError("the run was cancelled"));
  }
}
