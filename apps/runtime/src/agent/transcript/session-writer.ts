import { newId } from "@basis/core";
import { isSessionError, type CancelRequest, type SessionRecord, type WriteResult } from "@mobkit/session";
import { caught, whenThere, type Later } from "../../events/event-log.ts";
import type { ModelMessage } from "../../providers/model.ts";
import type { HostStore } from "../../store/host-store.ts";
import { promptCalls, type PromptCalls } from "../../store/prompt-calls.ts";
import type { LeaseWait } from "./acquire-lease.ts";
import { isUnclear, mayInsist } from "./insist.ts";
import { keepLease, type LeaseKeeper } from "./lease-keeper.ts";
import type { StoredMessage } from "./storable.ts";
import {
  appendRequest,
  updateRequest,
  type AppendChange,
  type Fence,
  type Fenced,
  type FreeingChange,
  type UpdateChange,
} from "./write-request.ts";
import { endOf, type TranscriptEnd } from "./transcript-end.ts";

type Send = (fence: Fence) => Later<WriteResult>;

interface WriterParts {
  readonly store: HostStore;
  readonly keeper: LeaseKeeper;
  readonly head: SessionRecord;
}

/**
 * The one writer of a session: holds its lease, renews it, and puts writes in a row, each on the revision that the one
 * before it left. A write whose reply was lost is asked for again under the same write id.
 */
export class SessionWriter {
  readonly #calls: PromptCalls;
  readonly #answersAtOnce: boolean;
  readonly #capabilities: HostStore["capabilities"];
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
  #last: Promise<WriteResult> | undefined;
  /** Writes that have not ended; the first of them is sent at once. */
  #waiting = 0;

  private constructor({ store, keeper, head }: WriterParts) {
    this.#calls = promptCalls(store);
    this.#answersAtOnce = this.#calls !== store;
    this.#capabilities = store.capabilities;
    this.#keeper = keeper;
    this.#head = head;
    this.#end = endOf(head);
    this.#runTurn = head.runTurn;
  }

  /**
   * Takes the session's lease. `wait.ending` is aborted with a `LeaseLostError` when the lease is lost.
   * @throws SessionError as `acquireLease`.
   */
  static open(store: HostStore, sessionId: string, wait: LeaseWait): Later<SessionWriter> {
    return whenThere(keepLease(store, sessionId, wait), (keeper) =>
      caught(
        () =>
          whenThere(promptCalls(store).head(sessionId), (head) => new SessionWriter({ store, keeper, head })),
        async (error) => {
          keeper.stop();
          await store.releaseLease(keeper.lease).catch(() => false);
          throw error;
        },
      ),
    );
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
  confirm(): Later<void> {
    return this.#keeper.confirm();
  }

  /** True once a write has freed the lease: nothing more can be written. */
  get freed(): boolean {
    return this.#freed;
  }

  /** Appends rows. */
  append(messages: readonly StoredMessage[], change: AppendChange = {}): Later<WriteResult> {
    const send: Send = (fence) =>
      this.#calls.append(fence.lease.sessionId, appendRequest(messages, change, fence));
    return whenThere(this.#write(change, send), (result) => {
      for (const message of messages) this.#appended.push(message);
      return result;
    });
  }

  update(change: UpdateChange): Later<WriteResult> {
    return this.#write(change, (fence) =>
      this.#calls.update(fence.lease.sessionId, updateRequest(change, fence)),
    );
  }

  /** Rolls back. No request is built from this writer's rows after it. */
  cancel(change: Omit<CancelRequest<ModelMessage, never>, Fenced>): Later<WriteResult> {
    this.#rolledBack = true;
    return this.#write(change, (fence) => this.#calls.cancel(fence.lease.sessionId, { ...change, ...fence }));
  }

  /** Waits for the writes under way and lets go of the lease. */
  close(): Later<void> {
    this.#keeper.stop();
    if (this.#waiting > 0 || !this.#freed) return this.#letGo();
  }

  async #letGo(): Promise<void> {
    try {
      if (this.#waiting > 0) await this.#last?.catch(() => undefined);
      if (!this.#freed) await this.#calls.releaseLease(this.#keeper.lease);
    } catch {
      // it runs out
    }
  }

  #write(change: FreeingChange, send: Send): Later<WriteResult> {
    const before = this.#waiting === 0 ? undefined : this.#last;
    this.#waiting += 1;
    if (this.#answersAtOnce) return this.#sendAtOnce(change, send);
    const go = (): Promise<WriteResult> => this.#send(change, send);
    const next = before === undefined ? go() : before.then(go, go);
    this.#last = next;
    return next;
  }

  #sendAtOnce(change: FreeingChange, send: Send): WriteResult {
    const frees = this.#willFree(change);
    try {
      return this.#succeed(send(this.#fence(undefined)) as WriteResult, change);
    } catch (error) {
      return this.#fail(error, frees);
    }
  }

  async #send(change: FreeingChange, send: Send): Promise<WriteResult> {
    const writeId = this.#capabilities.sureReplies === true ? undefined : newId();
    for (let attempt = 1; ; attempt += 1) {
      let frees = false;
      try {
        if (this.#unsure) await this.#readAgain();
        frees = this.#willFree(change);
        return this.#succeed(await send(this.#fence(writeId)), change);
      } catch (error) {
        if (!mayInsist(error, attempt)) this.#fail(error, frees);
      }
    }
  }

  #willFree({ release }: FreeingChange): boolean {
    this.#freeing = release === true && this.#capabilities.releasingWrites === true;
    if (this.#freeing) this.#keeper.holdStill();
    return this.#freeing;
  }

  #fence(writeId: string | undefined): Fence {
    return { lease: this.#keeper.lease, expectedRev: this.#end.rev, writeId };
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
    const head = await this.#calls.head(this.#keeper.lease.sessionId);
    this.#end = endOf(head);
    this.#runTurn = head.runTurn;
    this.#unsure = false;
  }
}
