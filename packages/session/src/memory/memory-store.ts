import { systemClock, type Clock } from "@basis/core";
import { answersAtOnce, promised } from "../at-once.ts";
import { modelMessageShape, type ModelMessage } from "../model-message-shape.ts";
import type { SessionStore } from "../store.ts";
import type { TranscriptShape } from "../transcript-shape.ts";
import type { StoreUpkeep } from "../upkeep.ts";
import { memoryBlobs } from "./memory-blobs.ts";
import { memoryForks } from "./memory-forks.ts";
import { memoryLedger } from "./memory-ledger.ts";
import { memoryMembers } from "./memory-members.ts";
import { memoryOutbox } from "./memory-outbox.ts";
import { memoryReads, memoryRows } from "./memory-reads.ts";
import { memorySessions } from "./memory-sessions.ts";
import { MemoryState } from "./memory-state.ts";
import { memoryTransfer } from "./memory-transfer.ts";
import { memoryUpkeep } from "./memory-upkeep.ts";
import { memoryWrites } from "./memory-writes.ts";

/** How a memory store is made. */
export interface MemoryStoreOptions<M> {
  /** Default: the AI SDK's messages. */
  readonly shape?: TranscriptShape<M> | undefined;
  /** Default: the machine's clock. */
  readonly clock?: Clock | undefined;
}

/** A store in memory; none of the port is missing. */
export interface MemoryStore<M> extends SessionStore<M, undefined> {
  readonly upkeep: StoreUpkeep<M, undefined>;
}

/**
 * A store that lives in this process and ends with it: the whole port, with the same rules as the durable ones.
 * A write's `join` gets `undefined`, and must be synchronous; what it throws undoes the write.
 */
export function memoryStore(options?: { readonly clock?: Clock | undefined }): MemoryStore<ModelMessage>;
export function memoryStore<M>(
  options: MemoryStoreOptions<M> & { readonly shape: TranscriptShape<M> },
): MemoryStore<M>;
export function memoryStore<M>(options: MemoryStoreOptions<M> = {}): MemoryStore<M> {
  const shape = options.shape ?? (modelMessageShape as unknown as TranscriptShape<M>);
  return storeOver(new MemoryState<M>(shape, options.clock ?? systemClock));
}

/** The port over a state that the caller can reach into; for tests of what no call can bring about. */
export function storeOver<M>(state: MemoryState<M>): MemoryStore<M> {
  const now = Object.freeze({ ...memorySessions(state), ...memoryWrites(state), ...memoryReads(state) });
  const { generation: _generation, ...calls } = now;
  const store = Object.freeze<MemoryStore<M>>({
    shape: state.shape,
    capabilities: CAPABILITIES,
    members: Object.freeze(memoryMembers(state)),
    operations: Object.freeze(memoryLedger(state)),
    forks: Object.freeze(memoryForks(state)),
    blobs: Object.freeze(memoryBlobs(state)),
    outbox: Object.freeze(memoryOutbox(state)),
    transfer: Object.freeze(memoryTransfer(state)),
    upkeep: Object.freeze(memoryUpkeep(state)),
    ...promised(calls),
    read: (sessionId, request) => memoryRows(state, sessionId, request),
    close: async () => state.close(),
  });
  answersAtOnce(store, now);
  return store;
}

const CAPABILITIES = Object.freeze({
  zeroCopyFork: true,
  atomicReserveAndFork: true,
  fencing: true,
  prefixDigest: true,
  durable: false,
  releasingWrites: true,
  sureReplies: true,
});
