import { driverFailure } from "./driver.ts";
import { pauseBetweenTries } from "./lock-wait.ts";
import type { LogWatch } from "./log-watch.ts";
import { refuseNewerSchema } from "./migrations.ts";
import { nextTurn } from "./next-turn.ts";
import type { StoreConnection } from "./store-connection.ts";
import { LostTransaction, sessionFailure, storeBusy } from "./store-failure.ts";

/** A write that waits for the next commit. */
interface WaitingWrite {
  readonly work: () => unknown;
  readonly since: number;
  readonly signal: AbortSignal | undefined;
  settle(outcome: Outcome): void;
}

type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown };

/** Writes in one commit at most, so that the lock is never held for long. */
const maxGroup = 256;

/**
 * Commits all writes that were asked for within one turn of the event loop in one transaction, with one sync.
 * Each runs in its own savepoint: one that fails is undone alone and fails alone. When the file or the disk fails,
 * the group is undone and each write is tried by itself. Writes happen in the order in which they were asked for.
 */
export class CommitGroup {
  readonly #connection: StoreConnection;
  readonly #log: LogWatch;
  #waiting: WaitingWrite[] = [];
  #draining: Promise<void> | undefined;
  /** Writes at the head of the queue that run alone because their group failed as a whole. */
  #alone = 0;
  #ended = false;

  constructor(connection: StoreConnection, log: LogWatch) {
    this.#connection = connection;
    this.#log = log;
  }

  /**
   * Runs `work` inside the next transaction and answers once that is durable. What `work` throws undoes it alone.
   * A signal takes the write back as long as its transaction has not begun.
   *
   * @throws SessionError `busy` and `store_unavailable` (with `commit_unknown` it may be durable), `store_corrupt`.
   */
  submit<T>(work: () => T, signal?: AbortSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      signal?.throwIfAborted();
      this.#connection.refuseWrites();
      if (this.#ended) throw this.#connection.unavailable("closed");
      this.#waiting.push({
        work,
        since: performance.now(),
        signal,
        settle(outcome) {
          if (outcome.ok) resolve(outcome.value as T);
          else reject(outcome.error);
        },
      });
      this.#draining ??= this.#drain();
    });
  }

  /** Takes no more writes; resolves when nothing waits any more. */
  async end(): Promise<void> {
    this.#ended = true;
    while (this.#draining) await this.#draining;
  }

  async #drain(): Promise<void> {
    let tries = 0;
    while (this.#waiting.length > 0) {
      await (tries === 0 ? nextTurn() : pauseBetweenTries(tries));
      this.#takeBackAborted();
      tries = this.#waiting.length === 0 || this.#commitNext() ? 0 : tries + 1;
    }
    this.#draining = undefined;
  }

  /** Looked at before each try: until then nothing has happened, and no write carries a listener. */
  #takeBackAborted(): void {
    for (const write of this.#waiting.filter(({ signal }) => signal?.aborted)) {
      this.#remove(write);
      write.settle({ ok: false, error: write.signal?.reason });
    }
  }

  #remove(write: WaitingWrite): void {
    const at = this.#waiting.indexOf(write);
    this.#waiting.splice(at, 1);
    if (at < this.#alone) this.#alone -= 1;
  }

  /** One transaction; false when another process holds the lock. Synchronous, so that nothing comes in between. */
  #commitNext(): boolean {
    const refusal = this.#log.refusal();
    if (refusal) return this.#failAll(refusal);
    try {
      this.#connection.refuseReplacedFile();
      this.#begin();
    } catch (error) {
      if (driverFailure(error) === "busy") {
        this.#giveUpOverdue(error);
        return false;
      }
      this.#connection.drop();
      return this.#failAll(sessionFailure(this.#connection.path, error));
    }
    const group = this.#waiting.splice(0, this.#alone > 0 ? 1 : maxGroup);
    this.#alone = Math.max(0, this.#alone - 1);
    const outcomes = this.#runGroup(group);
    if (!outcomes) return true;
    const failure = outcomes.some((outcome) => outcome.ok) ? this.#commit() : this.#undo();
    for (const [at, write] of group.entries()) write.settle(failure ?? outcomes[at]!);
    return true;
  }

  #begin(): void {
    this.#connection.statement("BEGIN IMMEDIATE").run();
    try {
      const row = this.#connection.statement("PRAGMA data_version").get();
      if (this.#connection.known.begin(row?.["data_version"])) refuseNewerSchema(this.#connection);
    } catch (error) {
      this.#undo();
      throw error;
    }
  }

  /** Runs the writes; undefined when the group was undone and its writes stand at the head of the queue again. */
  #runGroup(group: readonly WaitingWrite[]): readonly Outcome[] | undefined {
    const outcomes: Outcome[] = [];
    for (const write of group) {
      const outcome = group.length === 1 ? attempt(write.work) : this.#inSavepoint(write.work);
      if (!outcome.ok && isStorageFailure(outcome.error)) {
        this.#undo();
        this.#connection.drop();
        if (group.length === 1)
          return [{ ok: false, error: sessionFailure(this.#connection.path, outcome.error) }];
        this.#waiting.unshift(...group);
        this.#alone = group.length;
        return undefined;
      }
      outcomes.push(
        outcome.ok ? outcome : { ok: false, error: sessionFailure(this.#connection.path, outcome.error) },
      );
    }
    return outcomes;
  }

  #inSavepoint(work: () => unknown): Outcome {
    const begun = attempt(() => this.#connection.statement("SAVEPOINT single").run());
    if (!begun.ok) return begun;
    const outcome = attempt(work);
    const ended = attempt(() => {
      if (!outcome.ok) {
        this.#connection.known.forget();
        this.#connection.statement("ROLLBACK TO single").run();
      }
      this.#connection.statement("RELEASE single").run();
    });
    if (!outcome.ok && isStorageFailure(outcome.error)) return outcome;
    return ended.ok ? outcome : ended;
  }

  /** Commits; answers the failure that every write of the group has then. */
  #commit(): Outcome | undefined {
    try {
      this.#connection.statement("COMMIT").run();
      this.#connection.known.commit();
      return undefined;
    } catch (error) {
      const failure = driverFailure(error);
      this.#undo();
      this.#connection.drop();
      if (failure === "full" || failure === "busy") {
        return { ok: false, error: sessionFailure(this.#connection.path, error) };
      }
      return { ok: false, error: this.#connection.unavailable("commit_unknown", error) };
    }
  }

  #undo(): undefined {
    this.#connection.rollBack();
  }

  #giveUpOverdue(cause: unknown): void {
    const now = performance.now();
    const { busyTimeoutMs } = this.#connection;
    for (const write of this.#waiting.filter(({ since }) => now - since >= busyTimeoutMs)) {
      this.#remove(write);
      write.settle({
        ok: false,
        error: storeBusy(this.#connection.path, { waitedMs: now - write.since, cause }),
      });
    }
  }

  #failAll(error: unknown): true {
    this.#alone = 0;
    for (const write of this.#waiting.splice(0)) write.settle({ ok: false, error });
    return true;
  }
}

function attempt(work: () => unknown): Outcome {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    return { ok: false, error };
  }
}

/** True for what may have ended the transaction by itself, or leaves the handle in doubt. */
function isStorageFailure(error: unknown): boolean {
  if (error instanceof LostTransaction) return true;
  const failure = driverFailure(error);
  return failure === "full" || failure === "io" || failure === "corrupt" || failure === "cannot_open";
}
