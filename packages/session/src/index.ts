export type {
  ArchivedCopy,
  ArchivedSession,
  ArchivedState,
  ArchiveProgress,
  SessionArchive,
  StoreArchive,
} from "./archive.ts";
export { atOnce, type ImmediateStore } from "./at-once.ts";
export type { BlobRef, BlobStore } from "./blob.ts";
export type { CancelMark, ContextMark, NewContextMark } from "./context-mark.ts";
export type {
  ClaimRequest,
  ForkAmendment,
  ForkChild,
  ForkLedger,
  ForkOperation,
  ForkOperationState,
} from "./fork-operation.ts";
export type { Claim, Lease, LeaseRequest } from "./lease.ts";
export type { Labels, MemberRecord, MemberRegistry, NameHolder } from "./member.ts";
export type { NewOutboxEvent, Outbox, OutboxEvent } from "./outbox.ts";
export { memoryStore, type MemoryStore, type MemoryStoreOptions } from "./memory/memory-store.ts";
export { modelMessageShape, type ModelMessage, type ModelMessagePart } from "./model-message-shape.ts";
export type { FindTextsOptions, FoundMessage, FoundTexts } from "./found-texts.ts";
export type { CallOptions, Page, PageRequest } from "./page.ts";
export {
  isSessionError,
  SessionError,
  type AnySessionError,
  type BundleProblem,
  type ForkBoundaryReason,
  type SessionErrorCode,
  type SessionErrorDetails,
  type SessionErrorOptions,
  type SourceUnavailableCause,
} from "./session-error.ts";
export type {
  ForkCommit,
  ForkCommitRequest,
  ForkPoint,
  ForkPointRequest,
  ForkSeat,
  ForkSeatRequest,
  ForkSource,
  ForkSourceRequest,
  SessionForks,
} from "./session-forks.ts";
export {
  isRunning,
  type LeaseRecord,
  type SessionParent,
  type SessionRecord,
  type SessionState,
  type SpawnedBy,
} from "./session-record.ts";
export type { AppendRequest, CancelRequest, Join, SessionChange, WriteResult } from "./session-write.ts";
export type { ForkBehaviour, SideState, SideStateWrite } from "./side-state.ts";
export type { Span } from "./span.ts";
export type {
  CreateSessionRequest,
  ReadRequest,
  SessionStore,
  StoreCapabilities,
  WorkCounts,
  WorkRequest,
} from "./store.ts";
export type { PrefixRecord, RowHeader, StoredRow, TranscriptRow } from "./transcript-row.ts";
export type { InvalidMessage, MessageFacts, MessageKind, TranscriptShape } from "./transcript-shape.ts";
export type { ImportedSession, SessionOutline, SessionTransfer, TransferRow } from "./transfer.ts";
export type {
  CollectedAmount,
  CollectionReport,
  CollectRequest,
  RebaseReport,
  RebaseRequest,
  RedactionReport,
  RedactRequest,
  StoreUpkeep,
} from "./upkeep.ts";
