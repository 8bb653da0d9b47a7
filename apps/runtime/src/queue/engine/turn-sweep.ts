import type { DBOSClient, WorkflowStatus } from "@dbos-inc/dbos-sdk";
import { differingParts, type QueueWorker } from "../turn-queue.ts";
import { findTurn, listTurns, turnOf, versionOf } from "./engine-turns.ts";

/** What a sweep works with. */
export interface SweepParts {
  readonly client: DBOSClient;
  readonly worker: QueueWorker;
  /** Told of a look that the database has answered. */
  readonly answered: () => void;
  readonly sweepMs: number;
  readonly graceMs: number;
  /** How long one answer of the database is waited for. */
  readonly patienceMs: number;
}

/** Turns that are asked for at a time; of waiting ones no more are looked at. */
const PAGE = 1_000;
/** Waiting turns of which is told at once that this worker may not run them. */
const MISFITS_AT_ONCE = 20;

/**
 * Looks after turns that others hold. The engine does not notice that an executor has died; the lease of the turn's
 * session tells. A turn whose worker has lost it goes back to its queue at once, one that was claimed and not begun after
 * a while: whoever claims a dead worker's turn needs a moment for its lease, and must not lose the turn meanwhile.
 */
export class TurnSweep {
  readonly #parts: SweepParts;
  /** Turns that were claimed and whose session nobody holds, and since when that was seen. */
  readonly #free = new Map<string, { readonly claimedAt: number | undefined; readonly since: number }>();
  readonly #misfits = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(parts: SweepParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#looking = this.#look().finally(() => this.#schedule());
  }

  /** A look that the database does not answer is left behind. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#inTime(this.#looking).catch(() => undefined);
  }

  /** Workers that began together do not look together. */
  #schedule(): void {
    if (this.#isStopped) return;
    const ms = this.#parts.sweepMs * (0.75 + Math.random() / 2);
    this.#timer = setTimeout(() => this.start(), ms);
  }

  /** What the database refuses is looked at the next time. */
  async #look(): Promise<void> {
    try {
      await this.#takeOver();
      await this.#tellMisfits();
      this.#parts.answered();
    } catch {
      // the engine tells of its database itself
    }
  }

  async #takeOver(): Promise<void> {
    const held = await this.#claimed();
    const known = new Set(held.map(({ workflowID }) => workflowID));
    for (const id of this.#free.keys()) if (!known.has(id)) this.#free.delete(id);
    for (const row of held) {
      if (this.#isStopped) return;
      if (await this.#isAbandoned(row)) await this.#inTime(this.#putBack(row));
    }
  }

  async #isAbandoned({
    workflowID: id,
    queuePartitionKey: sessionId,
    dequeuedAt,
  }: WorkflowStatus): Promise<boolean> {
    const hold = await this.#inTime(this.#parts.worker.holdOf(sessionId ?? "", dequeuedAt));
    if (hold === "expired") return true;
    if (hold === "held") {
      this.#free.delete(id);
      return false;
    }
    const seen = this.#free.get(id);
    const now = performance.now();
    if (seen === undefined || seen.claimedAt !== dequeuedAt) {
      this.#free.set(id, { claimedAt: dequeuedAt, since: now });
      return false;
    }
    return now - seen.since >= this.#parts.graceMs;
  }

  /** Another worker's sweep may have been quicker. */
  async #putBack({ workflowID: id, dequeuedAt, queueName }: WorkflowStatus): Promise<void> {
    const { client } = this.#parts;
    const now = await findTurn(client, id);
    if (now?.status !== "PENDING" || now.dequeuedAt !== dequeuedAt) return;
    this.#free.delete(id);
    await client.resumeWorkflow(id, { queueName: queueName! });
  }

  async #tellMisfits(): Promise<void> {
    const { worker } = this.#parts;
    const own = versionOf(worker);
    const rows = await this.#rows({ status: "ENQUEUED" });
    const foreign = rows.filter(({ applicationVersion }) => applicationVersion !== own);
    const waiting = new Set(foreign.map(({ workflowID }) => workflowID));
    for (const id of this.#misfits) if (!waiting.has(id)) this.#misfits.delete(id);
    const untold = [...waiting].filter((id) => !this.#misfits.has(id)).slice(0, MISFITS_AT_ONCE);
    if (untold.length === 0) return;
    // With their prompts, for those of which it is told.
    for (const row of await listTurns(this.#parts.client, { workflowIDs: untold })) {
      this.#misfits.add(row.workflowID);
      const turn = turnOf(row);
      worker.misfit(turn, differingParts(turn.fit.parts, worker.fit.parts));
    }
  }

  /** All of them: the turn of a dead worker may be the newest. */
  async #claimed(): Promise<readonly WorkflowStatus[]> {
    const claimed: WorkflowStatus[] = [];
    for (;;) {
      const page = await this.#rows({ status: "PENDING", offset: claimed.length });
      claimed.push(...page);
      if (page.length < PAGE) return claimed;
    }
  }

  #rows(filter: {
    readonly status: "PENDING" | "ENQUEUED";
    readonly offset?: number;
  }): Promise<WorkflowStatus[]> {
    return this.#inTime(listTurns(this.#parts.client, { limit: PAGE, loadInput: false, ...filter }));
  }

  /** A connection that has broken without a word must not keep this worker from looking again. */
  #inTime<T>(work: Promise<T>): Promise<T> {
    const late = new Promise<never>((_, reject) => {
      const timer = setTimeout(
        () => reject(new Error("the database did not answer in time")),
        this.#parts.patienceMs,
      );
      work.finally(() => clearTimeout(timer)).catch(() => undefined);
    });
    return Promise.race([work, late]);
  }
}
