import { setTimeout as pause } from "node:timers/promises";
import { isSessionError } from "@mobkit/session";
import { RunGivenAwayError, RunOverError } from "../agent/queued-run.ts";
import { LeaseLostError } from "../agent/lease-keeper.ts";
import type { PreparedRun, Runtime } from "../compose.ts";
import type { WorkspaceFacts } from "../host/workspace.ts";
import type { FitParts, QueuedTurn, TurnFit } from "./queued-turn.ts";
import { holdAt } from "./session-hold.ts";
import {
  HandBackError,
  type QueueWorker,
  type SessionHold,
  type TurnClaim,
  type TurnEnding,
} from "./turn-queue.ts";

/** What a worker is made of. */
export interface TurnWorkerParts {
  readonly runtime: Pick<Runtime, "prepare" | "state">;
  readonly workspace: WorkspaceFacts;
  readonly name: string;
  readonly concurrency: number;
  readonly fit: TurnFit;
  /** How long the leases of its turns last that are not renewed. */
  readonly leaseMs: number;
  /** Told of what it does, in words. */
  readonly report: (text: string) => void;
}

/** How often a session is looked at that somebody else holds. */
const LOOK_EVERY_MS = 200;

/** Runs the turns of a queue in one workspace of a host. */
export class TurnWorker implements QueueWorker {
  readonly name: string;
  readonly concurrency: number;
  readonly fit: TurnFit;
  readonly #parts: TurnWorkerParts;

  constructor(parts: TurnWorkerParts) {
    this.name = parts.name;
    this.concurrency = parts.concurrency;
    this.fit = parts.fit;
    this.#parts = parts;
  }

  async run(claim: TurnClaim): Promise<TurnEnding> {
    const { report } = this.#parts;
    const { id, sessionId } = claim.turn;
    report(`turn ${id} of session ${sessionId} begins`);
    try {
      const ending = await this.#run(claim);
      report(`turn ${id}: ${ending.outcome}${ending.reason === undefined ? "" : `: ${ending.reason}`}`);
      return ending;
    } catch (error) {
      const isBack = error instanceof HandBackError;
      report(`turn ${id} ${isBack ? "goes on at another worker" : `failed: ${(error as Error).message}`}`);
      throw error;
    }
  }

  async holdOf(sessionId: string): Promise<SessionHold> {
    try {
      const { store, database } = this.#parts.runtime.state;
      const { lease } = await store.head(sessionId);
      const now = (await database?.clock.now()) ?? Date.now();
      return holdAt(lease, { now, marginMs: this.#parts.leaseMs / 10 });
    } catch (error) {
      // Whoever takes the turn finds the same, and says so.
      if (isSessionError(error, "unknown_session")) return "expired";
      throw error;
    }
  }

  misfit({ id, sessionId }: QueuedTurn, differing: readonly (keyof FitParts)[]): void {
    const text = `plan_mismatch: worker ${this.name} may not run turn ${id}, which was queued with another ${differing.join(", ")}; it waits for one that fits`;
    this.#parts.report(text);
    const { events } = this.#parts.runtime.state;
    events.emit({ session: sessionId, run: id }, "notice", { code: "plan_mismatch", text });
  }

  async #run({ turn, signal, isMine }: TurnClaim): Promise<TurnEnding> {
    const { id, sessionId, bounds, from, queuedAt, prompt } = turn;
    const { runtime, workspace } = this.#parts;
    const queued = { id, from, queuedAt, worker: this.name, isMine };
    for (;;) {
      await this.#untilFree(sessionId, signal);
      try {
        const prepared = await runtime.prepare(workspace, { sessionId, bounds, signal, queued });
        return await endingOf(prepared, prompt);
      } catch (error) {
        if (error instanceof RunOverError) return overEnding(error);
        if (error instanceof RunGivenAwayError || error instanceof LeaseLostError) throw new HandBackError();
        signal.throwIfAborted();
        if (!isSessionError(error, "lease_held")) throw error;
        await this.#look(signal);
      }
    }
  }

  /** Until nobody holds the session, and whoever did can act no more. */
  async #untilFree(sessionId: string, signal: AbortSignal): Promise<void> {
    while ((await this.holdOf(sessionId)) === "held") await this.#look(signal);
    signal.throwIfAborted();
  }

  /** Until it is time to look again. */
  async #look(signal: AbortSignal): Promise<void> {
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function endingOf(prepared: PreparedRun, prompt: string | undefined): Promise<TurnEnding> {
  const { outcome, failure } = await prepared.run(prompt);
  if (outcome !== "failed") return { outcome };
  return { outcome, reason: failure instanceof Error ? failure.message : String(failure) };
}

function overEnding({ end }: RunOverError): TurnEnding {
  return { outcome: end.status, ...(end.error !== undefined && { reason: end.error }) };
}
