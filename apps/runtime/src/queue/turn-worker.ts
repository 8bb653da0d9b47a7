import { setTimeout as pause } from "node:timers/promises";
import { parseModelRef } from "@basis/core";
import { isSessionError, type SessionRecord } from "@mobkit/session";
import { HandBackError } from "../agent/turn/run-end.ts";
import { RunGivenAwayError, RunOverError } from "../agent/turn/queued-run.ts";
import { isGone } from "../agent/transcript/acquire-lease.ts";
import { LeaseLostError } from "../agent/transcript/lease-keeper.ts";
import type { Runtime } from "../compose.ts";
import type { WorkspaceFacts } from "../host/workspace.ts";
import { secrets } from "../secrets/secrets.ts";
import type { FitParts, QueuedTurn, TurnFit } from "./queued-turn.ts";
import { holdAt } from "./session-hold.ts";
import { overEnding, runClaimed } from "./turn-ending.ts";
import type { QueueWorker, SessionHold, TurnClaim, TurnEnding } from "./turn-queue.ts";

/** What a worker is made of. */
export interface TurnWorkerParts {
  readonly runtime: Pick<Runtime, "prepare" | "state">;
  readonly workspace: WorkspaceFacts;
  readonly name: string;
  readonly concurrency: number;
  readonly fit: TurnFit;
  /** How long the leases of its turns last that are not renewed. */
  readonly leaseMs: number;
  /** Called before each turn. */
  readonly look?: (() => void) | undefined;
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
  /** The turns that run here, by id. */
  readonly #running = new Set<string>();

  constructor(parts: TurnWorkerParts) {
    this.name = parts.name;
    this.concurrency = parts.concurrency;
    this.fit = parts.fit;
    this.#parts = parts;
  }

  async run(claim: TurnClaim): Promise<TurnEnding> {
    const { report, look } = this.#parts;
    look?.();
    const { id, sessionId } = claim.turn;
    report(`turn ${id} of session ${sessionId} begins`);
    try {
      const ending = secrets.redactJson(await this.#run(claim));
      report(`turn ${id}: ${ending.outcome}${ending.reason === undefined ? "" : `: ${ending.reason}`}`);
      return ending;
    } catch (error) {
      if (error instanceof HandBackError) {
        report(`turn ${id} goes on at another worker`);
        throw error;
      }
      const failure = withoutSecrets(error as Error);
      report(`turn ${id} failed: ${failure.message}`);
      throw failure;
    }
  }

  async holdOf(sessionId: string, claimedAt?: number): Promise<SessionHold> {
    const session = await this.#find(sessionId);
    // Whoever takes the turn finds the same, and says so.
    return session === undefined ? "expired" : this.#holdAt(session, claimedAt);
  }

  misfit({ id, sessionId }: QueuedTurn, differing: readonly (keyof FitParts)[]): void {
    const text = `plan_mismatch: worker ${this.name} may not run turn ${id}, which was queued with another ${differing.map(inWords).join(", ")}; it waits for one that fits`;
    this.#parts.report(text);
    const { events } = this.#parts.runtime.state;
    events.emit({ session: sessionId, run: id }, "notice", { code: "plan_mismatch", text });
  }

  async #run({ turn, signal, standing }: TurnClaim): Promise<TurnEnding> {
    const { id, sessionId, bounds, from } = turn;
    const { runtime, workspace } = this.#parts;
    const queued = { id, from, worker: this.name, standing };
    const model = turn.model === undefined ? undefined : parseModelRef(turn.model);
    for (;;) {
      signal.throwIfAborted();
      try {
        const session = await this.#find(sessionId);
        // After a freeze this worker may be given what it runs itself.
        const isFree = session === undefined || (await this.#mayTake(session));
        if (isFree && !this.#running.has(id)) {
          const asked = { sessionId, session, bounds, signal, queued, model };
          return await this.#alone(id, async () => {
            const prepared = await runtime.prepare(workspace, asked);
            return runClaimed(prepared, turn, { state: runtime.state, signal });
          });
        }
      } catch (error) {
        if (error instanceof RunOverError) return overEnding(error.end);
        if (error instanceof RunGivenAwayError) throw new HandBackError({ isGivenAway: true });
        if (error instanceof LeaseLostError) throw new HandBackError();
        signal.throwIfAborted();
        if (!isSessionError(error, "lease_held")) throw error;
      }
      await this.#look(signal);
      if ((await standing()) === "lost") throw new HandBackError({ isGivenAway: true });
    }
  }

  async #alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    this.#running.add(id);
    return work().finally(() => this.#running.delete(id));
  }

  async #find(sessionId: string): Promise<SessionRecord | undefined> {
    try {
      return await this.#parts.runtime.state.store.head(sessionId);
    } catch (error) {
      if (isSessionError(error, "unknown_session")) return undefined;
      throw error;
    }
  }

  /** The lease of a process of this machine that is gone is waited for where it is taken. */
  async #mayTake(session: SessionRecord): Promise<boolean> {
    const { owner } = session.lease;
    return (owner !== null && isGone(owner)) || (await this.#holdAt(session)) !== "held";
  }

  /** Whoever held the session can act no more once it is no longer held. */
  async #holdAt({ lease }: SessionRecord, claimedAt?: number): Promise<SessionHold> {
    if (lease.owner === null) return "free";
    const { database } = this.#parts.runtime.state;
    const now = (await database?.clock.now()) ?? Date.now();
    return holdAt(lease, { now, marginMs: this.#parts.leaseMs / 10, claimedAt });
  }

  /** Until it is time to look again. */
  async #look(signal: AbortSignal): Promise<void> {
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** The queue keeps what a turn failed with. */
function withoutSecrets(error: Error): Error {
  const message = secrets.redact(error.message);
  return message === error.message ? error : Object.assign(new Error(message), { name: error.name });
}

/** A part of a fit by its name, and what it is made of where that does not say it. */
function inWords(part: keyof FitParts): string {
  return part === "context" ? "context (AGENTS.md files)" : part;
}
