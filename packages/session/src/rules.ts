export { isStaged, settledRecord, stagedRecord } from "./archive-plan.ts";
export { endAfter, type TranscriptEnd } from "./append-rules.ts";
export {
  checkClaim,
  planAmend,
  planClaim,
  planFail,
  planRenewClaim,
  unknownOperation,
  type ClaimStep,
} from "./claim-rules.ts";
export {
  askedBoundary,
  checkForkBoundary,
  checkForkSource,
  forkBoundary,
  type AskedBoundary,
  type RefusedBoundary,
} from "./fork-boundary.ts";
export {
  checkCommitRequest,
  checkSameRequest,
  forkEventPayload,
  planAbandon,
  planFork,
  planSeat,
  type AbandonPlan,
  type ForkEventFacts,
  type ForkGround,
  type ForkPlan,
  type SeatPlan,
} from "./fork-plan.ts";
export { checkStepSize, runCollection } from "./collection.ts";
export type {
  CollectionSteps,
  LooseBlob,
  MarkedRange,
  RangeStep,
  SurveyedSession,
  WalkPage,
} from "./collection-steps.ts";
export { commonRanges, subtractRanges, type LogName, type LogRange } from "./log-ranges.ts";
export {
  isUnchanged,
  maxSpans,
  planRuns,
  replaceRuns,
  runRebase,
  runRows,
  sliceRuns,
  type RebaseJob,
  type RebaseSteps,
  type SpanRun,
} from "./rebase.ts";
export {
  checkRedaction,
  isRedacted,
  ownTexts,
  replaceBody,
  textsInJson,
  type ReplacedBody,
} from "./redaction.ts";
export { insideJson, textForms } from "./found-texts.ts";
export { pageSizeOf, readRange } from "./read-request.ts";
export { messageWithoutTexts, payloadWithoutTexts, withoutTexts } from "./text-removal.ts";
export {
  checkFence,
  planAcquire,
  planRelease,
  planRenew,
  type LeaseMoment,
  type LeaseStep,
} from "./lease-rules.ts";
export {
  blobDigest,
  decodeBody,
  encodeBody,
  maxBodyBytes,
  maxInlineBytes,
  utf8Bytes,
} from "./message-body.ts";
export {
  encodeMessage,
  prepareAppend,
  prepareCancel,
  prepareUpdate,
  workDigest,
  type PreparedMessage,
  type PreparedWrite,
  type WriteOrigin,
} from "./prepared-write.ts";
export {
  checkBlobContent,
  checkCount,
  checkLabels,
  checkName,
  checkTtl,
  encodeJson,
  invalidRequest,
  keepJson,
  pageLimit,
} from "./request-checks.ts";
export { emptyDigest, newSalt, rowDigest, type DigestedRow } from "./row-digest.ts";
export {
  blankSession,
  isSameCreation,
  planCreate,
  planState,
  seatOf,
  type CreatePlan,
  type SeatFacts,
} from "./session-plan.ts";
export { readOvertaken, sessionUnavailable, unknownSession } from "./session-unavailable.ts";
export { inheritance, nextSideState } from "./side-state.ts";
export {
  clipSpans,
  extendSpans,
  locateRow,
  positionOf,
  sliceSpans,
  spanProblem,
  spansLength,
  type RowPlace,
} from "./span.ts";
export {
  checkOutlined,
  isLeftImport,
  leftBehind,
  planBeginImport,
  planDropImport,
  planFinishImport,
  planStage,
} from "./transfer-plan.ts";
export { nextWork } from "./work-counts.ts";
export { checkLease } from "./write-checks.ts";
export {
  checkWriteId,
  planWrite,
  replayOf,
  type BoundaryRow,
  type WriteMoment,
  type WritePlan,
} from "./write-plan.ts";
export { optionalText, textOf, type Cell, type ColumnForm } from "./columns/column-form.ts";
export { memberOfRow } from "./columns/member-columns.ts";
export {
  changingOperationColumns,
  operationCells,
  operationColumns,
  operationOfRow,
  type OperationColumn,
} from "./columns/operation-columns.ts";
export { sessionCells, sessionColumns, sessionOfRow, type SessionColumn } from "./columns/session-columns.ts";
export { afterNumber, conditions, pageOf } from "./columns/stored-page.ts";
export {
  integerOf,
  jsonOf,
  optionalInteger,
  packFilled,
  packJson,
  packUsage,
  usageOf,
  type ColumnRow,
} from "./columns/stored-values.ts";
