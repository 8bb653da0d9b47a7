import { formatModelRef, type ModelRef } from "@basis/core";
import type { TurnWorkspaces } from "../host/live-workspace.ts";
import type { WorkspaceFacts } from "../host/workspace.ts";
import { rollBackQueued, stopQueued, takeOut } from "../queue/end-queued.ts";
import { followTurn } from "../queue/follow-turn.ts";
import { queueTurn } from "../queue/queue-turn.ts";
import { isOver, type QueuedBounds, type QueuedTurn, type TurnFit } from "../queue/queued-turn.ts";
import type { TurnQueue } from "../queue/turn-queue.ts";
import { readRunAccount } from "../runs/run-account.ts";
import type { RunFinished } from "../runs/run-watch.ts";
import type { HostState } from "../store/open-state.ts";
import { endFrom } from "./logged-end.ts";
import type { TurnRequest } from "./server-turns.ts";
import { notFound, type TurnEnd, type TurnNames } from "./turn-end.ts";
import type { Turns } from "./turns.ts";
import { RpcError } from "./rpc-error.ts";

/** What queued turns are started with. */
export interface QueuedTurnsParts {
  readonly state: HostState;
  readonly queue: TurnQueue;
  readonly workspace: Pick<TurnWorkspaces, "root" | "current">;
  /** What a turn of this folder needs: servers of tools come and go. */
  readonly fit: (facts: WorkspaceFacts) => Promise<TurnFit>;
  readonly realm?: string | undefined;
  /** The model that answers; absent: the agent's own, else the worker's. */
  readonly model?: ModelRef | undefined;
  /** Told of what cannot be answered to anybody any more. */
  readonly report: (error: unknown) => void;
}

/** Most turns that are listed. */
const MAX_LISTED = 100;

/** Turns that workers run: this server queues them, and asks for their end through the store. They outlive it. */
export class QueuedTurns implements Turns {
  readonly #parts: QueuedTurnsParts;
  readonly #ending = new AbortController();
  readonly #asking = new Set<Promise<void>>();

  constructor(parts: QueuedTurnsParts) {
    this.#parts = parts;
  }

  async start({ session, agent, member, prompt, output, bounds }: TurnRequest): Promise<TurnNames> {
    if (this.#ending.signal.aborted)
      throw new RpcError("unavailable", "the server is ending", { kind: "shutting_down" });
    const { state, queue, workspace, fit, realm, model } = this.#parts;
    const { facts } = await workspace.current();
    const place = { state, queue, workspace: facts, fit: await fit(facts) };
    const turn = await queueTurn(place, {
      sessionId: session,
      agent,
      member,
      prompt,
      output,
      realm,
      model: model && formatModelRef(model),
      bounds: queuedBounds(bounds),
    });
    return this.#namesOf(turn);
  }

  async wait(run: string, signal: AbortSignal): Promise<TurnEnd> {
    const { state, queue } = this.#parts;
    const turn = (await queue.get(run)) ?? (await this.#toldOf(run));
    const names = await this.#namesOf({ id: run, sessionId: turn.sessionId });
    let end: RunFinished | undefined;
    for await (const event of followTurn({ state, queue, turn, signal }))
      if (event.type === "run_finished") end = event;
    if (end === undefined) return unrunEnd(names, await queue.get(run));
    return endFrom(names, await readRunAccount(state.events.read(turn.sessionId), end));
  }

  async stop(run: string): Promise<boolean> {
    const { state, queue } = this.#parts;
    return this.#end(run, (turn, signal) => stopQueued({ state, queue }, turn, signal));
  }

  async cancel(run: string): Promise<boolean> {
    const { state, queue } = this.#parts;
    return this.#end(run, (turn, signal) =>
      rollBackQueued({ state, queue }, turn, { signal, waiting: () => undefined }),
    );
  }

  async list(): Promise<readonly TurnNames[]> {
    const { queue, workspace, fit } = this.#parts;
    const { facts } = await workspace.current();
    const own = (await fit(facts)).parts.workspace;
    const turns = await queue.list({ states: ["waiting", "running"], limit: MAX_LISTED });
    const here = turns.filter(
      ({ fit: { parts } }) => parts.workspace === own || parts.workspace === workspace.root,
    );
    return Promise.all(here.map((turn) => this.#namesOf(turn)));
  }

  /** What was asked of workers stands; nobody waits for it here any more. */
  async close(): Promise<void> {
    this.#ending.abort(new Error("the server is ending"));
    await Promise.all(this.#asking);
  }

  /** Takes a waiting turn out; asks for the end of one that runs, and sees to it in the background. */
  async #end(run: string, ask: (turn: QueuedTurn, signal: AbortSignal) => Promise<void>): Promise<boolean> {
    const { state, queue, report } = this.#parts;
    const turn = await queue.get(run);
    if (turn === undefined) {
      await this.#toldOf(run);
      return false;
    }
    if (isOver(turn)) return false;
    if (await takeOut({ state, queue }, turn)) return true;
    const { signal } = this.#ending;
    const asking = ask(turn, signal)
      .catch((error: unknown) => {
        if (!signal.aborted) report(error);
      })
      .finally(() => this.#asking.delete(asking));
    this.#asking.add(asking);
    return true;
  }

  /** A run that the queue has forgotten, by its log. @throws RpcError `not_found` */
  async #toldOf(run: string): Promise<Pick<QueuedTurn, "id" | "sessionId">> {
    const sessionId = await this.#parts.state.events.sessionOf(run);
    if (sessionId === undefined) throw notFound(run);
    return { id: run, sessionId };
  }

  async #namesOf({ id, sessionId }: Pick<QueuedTurn, "id" | "sessionId">): Promise<TurnNames> {
    const { binding } = await this.#parts.state.store.head(sessionId);
    return { run: id, session: sessionId, member: binding?.member ?? sessionId };
  }
}

function queuedBounds({ deadlineMs, toolBudget, tokenBudget }: TurnRequest["bounds"]): QueuedBounds {
  return {
    ...(deadlineMs !== undefined && { deadlineMs }),
    ...(toolBudget !== undefined && { toolBudget }),
    ...(tokenBudget !== undefined && { tokenBudget }),
  };
}

/** A turn that nobody ran, or could. */
function unrunEnd(names: TurnNames, turn: QueuedTurn | undefined): TurnEnd {
  if (turn === undefined) throw notFound(names.run);
  const { state, outcome = "failed", reason = `the turn is ${state}` } = turn;
  if (state === "cancelled") return { ...names, status: "cancelled", text: "" };
  return { ...names, status: outcome, text: "", error: reason };
}
