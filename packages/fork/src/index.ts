export { decodeAlias, encodeAlias } from "./alias.ts";
export { createForks, type CreateForksOptions, type Forks } from "./create-forks.ts";
export {
  committedForkIsRecoverable,
  ForkError,
  isForkError,
  type AnyForkError,
  type ForkErrorDetails,
  type ForkErrorKind,
  type ForkErrorOptions,
  type ForkRetry,
  type InvalidRequestReason,
  type SourceAuthorityReason,
  type SourceUnavailableCause,
} from "./fork-error.ts";
export type { ForkExpectation } from "./fork-point.ts";
export type {
  ForkMembers,
  ForkOperations,
  ForkStore,
  OnForkError,
  Provisioned,
  Provisioner,
  ProvisionRequest,
  SpawnFailure,
} from "./fork-ports.ts";
export {
  FLOW_NAME_PREFIXES,
  RESERVED_LABEL_KEYS,
  type ForkMemberOptions,
  type ForkMemberSpec,
} from "./fork-request.ts";
export type {
  CacheInheritance,
  CacheUnavailableReason,
  ForkLineage,
  ForkResult,
  ForkStatus,
} from "./fork-result.ts";
export type { ForkTarget } from "./fork-target.ts";
export type { AliasOwner, IdentityAuthority, LifecycleHold } from "./identity-authority.ts";
export type { ForkCallOptions, ListForksOptions } from "./operations.ts";
export type { ForkPreview } from "./preview-fork.ts";
export { createReservations, type LockKind, type Reservation, type Reservations } from "./reservations.ts";
export type { ResumeForkOptions } from "./resume-fork.ts";
export {
  readToolAccess,
  sessionToolAccess,
  TOOL_ACCESS_KIND,
  type ToolAccessPolicy,
  type ToolAccessStore,
} from "./tool-access.ts";
export type { ForkPoint } from "@mobkit/session";
