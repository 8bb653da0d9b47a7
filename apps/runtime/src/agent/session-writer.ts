import { newId, systemClock } from "@basis/core";
import {
  isSessionError,
  type CancelRequest,
  type SessionChange,
  type SessionRecord,
  type WriteResult,
} from "@mobkit/session";
import type { ModelMessage } from "../providers/model.ts";
import type { HostStore } from "../store/host-store.ts";
import { acquireLease, type LeaseWait } from "./acquire-lease.ts";
import type { Cue } from "./cue.ts";
import { isUnclear, mayInsist } from "./insist.ts";
import { LeaseKeeper, LeaseLostError } from "./lease-keeper.ts";
import type { StoredMessage } from "./storable.ts";
import {
  appendRequest,
  type AppendChange,
  type Fence,
  type Fenced,
  type FreeingChange,
} from "./write-request.ts";
import { endOf, type TranscriptEnd } from "./transcript-end.ts";

export { LeaseLostError };

/** How a writer is opened. */
export interface WriterOptions extends Partial<Omit<LeaseWait, "signal">> {
  /** Ends the wait for the lease when it aborts, and is aborted with a `LeaseLostError` when the lease is lost. */
  readonly ending?: Cue | undefined;
}

/** What a writer begins with. */
interface WriterParts {
  readonly keeper: LeaseKeeper;
  readonly head: SessionRecord;
}

/**
 * The one writer of a session: holds its lease, renews it, and puts writes in a row, each on the revision that the one
 * before it left. A write whose reply was lost is asked for again under the same write id.
 */
export class SessionWriter {
  readonly #store: HostStore;
  readonly #keeper: LeaseKeeper;
  readonly #head: SessionRecord;
  readonly #appended: StoredMessage[] = [];
  /** What the last write left, as far as it is known. */
  #end: TranscriptEnd;
  #runTurn: string | null;
  /** A write failed without saying whether it was kept, so that revision and length have to be read again. */
  #unsure = false;
  #rolledBack = false;
  /** A write that frees the lease is under way or done. */
  #freeing = false;
  #freed = false;
  /** The newest write. */
  #last: Promise<WriteResult> | undefined;
  /** Writes that have not ended; the first of them is sent at once. */
  #waiting = 0;

  private constructor(store: HostStore, { keeper, head }: WriterParts) {
    this.#store = store;
    this.#keeper = keeper;
    this.#head = head;
    this.#end = endOf(head);
    this.#runTurn = head.runTurn;
  }

  /** Takes the session's lease. @throws SessionError as `acquireLease`. */
  static async open(
    store: HostStore,
    sessionId: string,
    { clock = systemClock, ending, ...options }: WriterOptions = {},
  ): Promise<SessionWriter> {
    const wait = { ...options, clock, signal: ending?.signal };
    const { lease, askedAt } = await acquireLease(store, sessionId, wait);
    const keeper = new LeaseKeeper(store, lease, {
      clock,
      askedAt,
      onLost: (reason) => ending?.abort(reason),
    });
    try {
      return new SessionWriter(store, { keeper, head: await store.head(sessionId) });
    } catch (error) {
      keeper.stop();
      await store.releaseLease(lease).catch(() => false);
      throw error;
    }
  }

  /** The session as it was when the lease was taken. */
  get head(): SessionRecord {
    return this.#head;
  }

  /** The length after the last write. */
  get len(): number {
    return this.#end.len;
  }

  /** The prefix digest at that length. */
  get digest(): string {
    return this.#end.digest;
  }

  /** True once a rollback was asked for: what was appended may be gone. */
  get rolledBack(): boolean {
    return this.#rolledBack;
  }

  /** True when every call up to here is known to have its result. */
  get settled(): boolean {
    return !this.#unsure && this.#end.settledLen === this.#end.len;
  }

  /** True when the session is known to name no open turn. */
  get turnClosed(): boolean {
    return !this.#unsure && this.#runTurn === null;
  }

  /** True when the last write failed without saying whether it was kept. */
  get unsure(): boolean {
    return this.#unsure;
  }

  /** What this writer has appended, as it is stored. */
  get appended(): readonly StoredMessage[] {
    return this.#appended;
  }

  /** True once the lease is lost. */
  get lost(): boolean {
    return this.#keeper.lost;
  }

  /** Sees to it, just before an effect, that the lease is held for a while yet. @throws LeaseLostError */
  confirm(): Promise<void> {
    return this.#keeper.confirm();
  }

  /** True once a write has freed the lease: nothing more can be written. */
  get freed(): boolean {
    return this.#freed;
  }

  /** Appends rows. */
  async append(messages: readonly StoredMessage[], change: AppendChange = {}): Promise<WriteResult> {
    const send = (fence: Fence): Promise<WriteResult> =>
      this.#store.append(fence.lease.sessionId, appendRequest(messages, change, fence));
    const result = await this.#write(change, send);
    for (const message of messages) this.#appended.push(message);
    return result;
  }

  update(change: Omit<SessionChange<never>, Fenced>): Promise<WriteResult> {
    const { sessionId } = this.#keeper.lease;
    return this.#write(change, (fence) => this.#store.update(sessionId, { ...change, ...fence }));
  }

  /** Rolls back. No request is built from this writer's rows after it. */
  cancel(change: Omit<CancelRequest<ModelMessage, never>, Fenced>): Promise<WriteResult> {
    const { sessionId } = this.#keeper.lease;
    this.#rolledBack = true;
    return this.#write(change, (fence) => this.#store.cancel(sessionId, { ...change, ...fence }));
  }

  /** Waits for the writes under way and lets go of the lease. */
  async close(): Promise<void> {
    this.#keeper.stop();
    if (this.#waiting > 0) await this.#last?.catch(() => undefined);
    if (!this.#freed) await this.#store.releaseLease(this.#keeper.lease).catch(() => false);
  }

  #write(change: FreeingChange, send: (fence: Fence) => Promise<WriteResult>): Promise<WriteResult> {
    const before = this.#waiting === 0 ? undefined : this.#last;
    this.#waiting += 1;
    const go = (): Promise<WriteResult> => this.#send(change, send);
    const next = before === undefined ? go() : before.then(go, go);
    this.#last = next;
    return next;
  }

  async #send(change: FreeingChange, send: (fence: Fence) => Promise<WriteResult>): Promise<WriteResult> {
    const { capabilities } = this.#store;
    const frees = change.release === true && capabilities.releasingWrites === true;
    const writeId = capabilities.sureReplies === true ? undefined : newId();
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (this.#unsure) await this.#readAgain();
        if (frees) this.#keeper.holdStill();
        this.#freeing = frees;
        return this.#succeed(
          await send({ lease: this.#keeper.lease, expectedRev: this.#end.rev, writeId }),
          change,
        );
      } catch (error) {
        if (!mayInsist(error, attempt)) this.#fail(error, frees);
      }
    }
  }

  #succeed(result: WriteResult, { runTurn }: FreeingChange): WriteResult {
    this.#waiting -= 1;
    this.#end = result;
    if (runTurn !== undefined) this.#runTurn = runTurn;
    this.#freed ||= this.#freeing;
    return result;
  }

  #fail(error: unknown, frees: boolean): never {
    this.#waiting -= 1;
    this.#freeing = false;
    if (frees) this.#keeper.goOn();
    if (isSessionError(error, "stale_fence")) this.#keeper.lose("taken");
    this.#unsure ||= isUnclear(error);
    throw error;
  }

  async #readAgain(): Promise<void> {
    const head = await this.#store.head(this.#keeper.lease.sessionId);
    this.#end = endOf(head);
    this.#runTurn = head.runTurn;
    this.#unsure = false;
  }
}
